/** The hooks that docs/triggers.md has ready for senders, and the senders with the bodies that they document. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../cli/support/process.ts'
import { secret as signingSecret } from './server/serve-hooks.ts'

const page = readFileSync(join(root, 'docs/triggers.md'), 'utf8')
const [, section = ''] = page.split('\n## Ready mappings\n')
const blocks = (section.split('\n## ')[0] ?? '').matchAll(/```yaml\n# opsbook\.yaml\n([^`]*)```/g)
export const hooks: Readonly<Record<string, object>> = Object.assign(
  {},
  ...[...blocks].map(([, yaml = '']) => parse(yaml).hooks),
)

export interface Sender {
  readonly hook: string
  readonly payload: string
  /** What proves who sends it. */
  readonly headers: (body: string) => Readonly<Record<string, string>>
  readonly host: string
  readonly title: string
  /** As the sender spells it. @default critical */
  readonly severity?: string
  /** The same incident, once it is over. */
  readonly over: (body: string) => string
}

const token = 'a long token of the sender'
const bearer = () => ({ authorization: `Bearer ${token}` })

export const senders: readonly Sender[] = [
  {
    hook: 'incidents',
    payload: 'platform',
    headers: () => ({ 'x-opsbook-token': token }),
    host: 'web-01',
    title: 'Checkout is slow',
    severity: 'Critical',
    over: (body) => body.replace('"Triggered"', '"Closed"').replace('"evt_', '"evt_2'),
  },
  {
    hook: 'alertmanager',
    payload: 'alertmanager',
    headers: bearer,
    host: 'disk-01',
    title: 'Less than 5% left on /data of disk-01',
    over: (body) => body.replaceAll('"firing"', '"resolved"'),
  },
  {
    hook: 'grafana',
    payload: 'grafana',
    headers: bearer,
    host: 'web-01',
    title: 'Half of all checkouts take longer than 2 s',
    over: (body) => body.replaceAll('"firing"', '"resolved"'),
  },
  {
    hook: 'pagerduty',
    payload: 'pagerduty',
    headers: (body) => ({
      'x-pagerduty-signature': ['another', signingSecret]
        .map((key) => `v1=${createHmac('sha256', key).update(body).digest('hex')}`)
        .join(','),
    }),
    host: 'node-1',
    title: 'Checkout is slow on node-1',
    over: (body) => body.replace('incident.triggered', 'incident.resolved').replace('"01DGW', '"01DGX'),
  },
]

/** What the hooks find their secrets in. */
export const secretsOfSenders: Readonly<Record<string, string>> = {
  INCIDENT_TOKEN: token,
  ALERTMANAGER_TOKEN: token,
  GRAFANA_TOKEN: token,
  PAGERDUTY_SECRET: signingSecret,
}

export function payload(name: string): string {
  return readFileSync(join(root, `test/cases/triggers/payloads/${name}.json`), 'utf8')
}
