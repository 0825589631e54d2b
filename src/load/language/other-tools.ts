/** The words of other tools, and what does it here: one table for keys and actions. */

/** Keys that have another name here; it counts where that key can stand. */
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
  ['switch', 'choose'],
  ['if', 'when'],
  ['run', 'command'],
  ['cmd', 'command'],
  ['type', 'uses'],
  ['task', 'uses'],
  ['block', 'steps'],
  ['title', 'name'],
  ['until', 'repeat'],
  ['strategy', 'for-each'],
  ['with_items', 'for-each'],
  ['retryPolicy', 'retry'],
  ['continueOn', 'continue-on-error'],
  ['msg', 'message'],
  ['text', 'message'],
  ['duration', 'for'],
  ['seconds', 'for'],
  ['uri', 'url'],
  ['params', 'query'],
  ['data', 'body'],
  ['json', 'body'],
])

const command = 'uses: core/command runs a command or a script'
const order = 'steps run in their order; parallel has branches that run at the same time'
const onFailure = 'catch has steps for a failure, and continue-on-error tolerates it'
const http = 'core/http'
const pause = 'uses: core/wait waits for a time'
const loop = 'the key "for-each" repeats a step for each item, and "repeat" until a condition is true'
const end = 'core/fail ends a run; without it, a run ends after its last step'
const tellPeople =
  'core/http tells a chat or a mail service; "notify" in opsbook.yaml tells people how runs end'

/** Keys of a step that no single key stands for, in small letters and without hyphens. */
const stepKeys: Readonly<Record<string, string>> = {
  run: command,
  script: command,
  shell: command,
  command,
  cmd: command,
  exec: command,
  end,
  wait: pause,
  sleep: pause,
  delay: pause,
  needs: order,
  depends: order,
  dependson: order,
  dependencies: order,
  next: order,
  onerror: onFailure,
  onfailure: onFailure,
  rescue: onFailure,
  except: onFailure,
  ignoreerrors: 'continue-on-error: true tolerates a failure',
  always: 'finally has steps that run in any case',
  else: 'choose has branches, and its last one can do without "when"',
  env: 'core/command takes env among its arguments, under "with"',
  register: 'later steps read steps.ID.outputs',
}

/** The last word of an action. */
const actions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['shell', 'bash', 'sh', 'script', 'exec', 'cmd', 'ssh', 'python', 'run-command'].map((word) => [
      word,
      'core/command',
    ]),
  ),
  ...Object.fromEntries(
    ['http', 'rest', 'request', 'webhook', 'curl', 'fetch', 'uri'].map((word) => [word, http]),
  ),
  ...Object.fromEntries(
    ['email', 'mail', 'smtp', 'slack', 'teams', 'notify', 'chat'].map((word) => [word, tellPeople]),
  ),
  command: 'core/command',
  sleep: 'core/wait',
  delay: 'core/wait',
  approval: 'core/approve',
  prompt: 'core/ask',
  echo: 'core/log',
  print: 'core/log',
  debug: 'core/log',
  assign: 'core/set',
  variable: 'core/set',
  workflow: 'core/run',
  subflow: 'core/run',
  pause: 'core/wait waits for a time, core/approve for a person',
  call: 'core/http calls another system, core/run another runbook',
  if: 'the key "if" decides whether a step runs, and "choose" has branches',
  switch: 'the key "choose" has branches',
  loop,
  foreach: loop,
  while: loop,
  exit: end,
  stop: end,
  file: 'core/write',
  sql: 'core/command runs the client of a database, and core/http calls an API',
  throw: 'core/fail',
  raise: 'core/fail',
}

const find = (table: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** What does it here, for a key of a step in another tool. */
export function hintForStepKey(key: string): string | undefined {
  return find(stepKeys, key.toLowerCase().replace(/[-_]/g, ''))
}

/** What does it here, for an action of another tool, by its last word. */
export function hintForAction(name: string): string | undefined {
  const [last = ''] = name.toLowerCase().replace(/@.*$/, '').replaceAll('_', '-').split(/[/.]/).slice(-1)
  const hint = find(actions, last)
  return hint === undefined || hint.includes(' ') ? hint : `did you mean "${hint}"?`
}
