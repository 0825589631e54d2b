/** What stands in the record of a run as its connection where it had a sandbox of its own. No connection has this name. */
export const sandboxName = '--sandbox'
