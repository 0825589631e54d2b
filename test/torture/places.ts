import type { SeenRequest } from './sandbox-process.ts'

/**
 * Which step of the runbook a request came from, as its path in the journal. No two steps send the same, so that the
 * body tells it; `applications` are the names of what has been created, by id.
 */
export function placeOfRequest(request: SeenRequest, applications: ReadonlyMap<string, string>): string {
  const { operation, body } = request
  const text = (name: string): string => String(body[name])
  const nameOf = (applicationId: string): string => applications.get(applicationId) ?? ''
  const ofItem = (applicationId: string, step: string): string => `${itemOf(nameOf(applicationId))}/${step}`
  switch (operation) {
    case 'E1':
      return text('agent_name').endsWith('-agent') ? 'agent' : 'both/second'
    case 'E2':
      return isFirst(text('application_name')) ? 'app' : `${itemOf(text('application_name'))}/own_app`
    case 'E3':
      return isFirst(nameOf(String(body['application_ids'])))
        ? 'seen'
        : ofItem(String(body['application_ids']), 'look')
    case 'E4':
    case 'catalog':
      return targets[text('target_locator')] ?? ''
    case 'E5':
      return queries[text('expr')] ?? ''
    case 'E6':
      return 'both/record'
    case 'E7':
      return text('rule_id') === 'sev_crash' ? ofItem(text('application_id'), 'off') : 'other/down'
    case 'E8':
      return text('status') === 'drafting' ? 'both/reopen' : 'publish'
    case 'E9':
      return isFirst(nameOf(text('application_id'))) ? 'rules' : ofItem(text('application_id'), 'bye')
    default:
      return ''
  }
}

/** The path of a step without the parts that tell groups and polls apart. */
export function placeOfPath(path: string): string {
  return path.replace(/\/(group|poll)-\d+/g, '')
}

/** The steps that run at the end, which a run whose outcome nobody knows puts off. */
export const finalPlaces: readonly string[] = ['rules', 'rest', 'publish', 'report']

const targets: Readonly<Record<string, string>> = {
  'node-1': 'catalog',
  'node-2': 'checks',
  'node-3': 'both/later/again',
  'flaky-01': 'flaky',
}

const queries: Readonly<Record<string, string>> = {
  up: 'query',
  'rate((': 'shaky',
  node_load1: 'shaky/instead',
}

const items = ['a', 'b', 'c', 'd', 'e']

function isFirst(applicationName: string): boolean {
  return applicationName.endsWith('-app')
}

/** `fleet[1]` for the application of item `b`. */
function itemOf(applicationName: string): string {
  return `fleet[${items.indexOf(applicationName.slice(-1))}]`
}
