export { formatPath, type JsonPath, valueAt } from '../core/json.ts'
