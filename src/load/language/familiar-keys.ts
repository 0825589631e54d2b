/** Keys that people know from elsewhere, and the key that does it here. */
export const familiarKeys: ReadonlyMap<string, string> = new Map([
  ['on', 'triggers'],
  ['env', 'inputs'],
  ['vars', 'inputs'],
  ['variables', 'inputs'],
  ['jobs', 'steps'],
  ['tasks', 'steps'],
  ['action', 'uses'],
  ['when', 'if'],
  ['args', 'with'],
  ['arguments', 'with'],
  ['loop', 'for-each'],
  ['foreach', 'for-each'],
  ['timeout-minutes', 'timeout'],
  ['output', 'outputs'],
  ['retries', 'retry'],
])
