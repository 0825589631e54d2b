/** What `opsbook.yaml` can hold, and the check of it: loaded only where there is a file, since it takes a third of a start. */
export { checkConfiguration } from './check-configuration.ts'
export { configurationSchema } from './configuration-schema.ts'
