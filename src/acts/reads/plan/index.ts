/** What a run would do, as `opsbook plan` shows it. */
export { readPlanDocument } from './plan-document.ts'
