/** What is said of the argument that names a run. */
export const runArgument = 'its id, the beginning of it, the key it was started with, or "latest"'

/** What is said of the argument that names a step. */
export const stepArgument = 'its path, such as "publish" or "hosts[3]/ask"; its id where that is enough'

/** What is said of the argument that names a runbook. */
export const runbookArgument = 'a file, or the name of one in the runbooks folder here or of the package'
