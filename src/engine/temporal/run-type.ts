/** The workflow types of runs: one for each runbook, so that metrics and lists of the server tell runbooks apart. */
const prefix = 'runbook/'

/** The workflow type of the runs of a runbook. */
export function runTypeOf(runbook: string): string {
  return prefix + runbook
}

/** Whether workflows of a type are runs. */
export function isRunType(workflowType: string): boolean {
  return workflowType.startsWith(prefix)
}

/** The part of a visibility query that finds runs, of any runbook. */
export const isRunQuery: string = `WorkflowType STARTS_WITH '${prefix}'`
