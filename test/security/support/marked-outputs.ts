import { sendEnvelope } from '../../api/stand-in.ts'
import { serving } from '../../support/listen.ts'

export const password = 'hunter2-rotated-äß'
export const token = 'child-token-77-aa'

/** A server that answers with a password, a token and a key. */
export function startVault(): Promise<string> {
  const coded = Buffer.from(password).toString('base64')
  const body = { data: { coded, token }, keys: [{ id: 1, key: `key-of-${token}` }] }
  return serving((_, response) => sendEnvelope(response, body))
}

const fetchRunbook = (url: string): string => `apiVersion: opsbook/v1
name: fetch
steps:
  - id: look
    uses: core/http
    with: { url: "${url}" }
    sensitive: [body.data.token]
outputs: { token: "\${{ steps.look.outputs.body.data.token }}" }
`

const rotateRunbook = (url: string): string => `apiVersion: opsbook/v1
name: rotate
inputs: { type: object, properties: { ok: { type: boolean, default: false } } }
steps:
  - id: secret
    uses: core/http
    with: { url: "${url}" }
    sensitive: [body.data, body.keys.*.key]
    outputs: { pw: "\${{ outputs.body.data.coded }}", key: "\${{ outputs.body.keys[0].key }}" }
  - id: plain
    uses: core/set
    with: { value: "\${{ fromBase64(steps.secret.outputs.pw) }}", host: web-01 }
    sensitive: [value]
  - { id: say, uses: core/log, with: { message: "pw \${{ steps.plain.outputs.value }} on \${{ steps.plain.outputs.host }}" } }
  - id: each
    for-each: { items: [1, 2] }
    uses: core/set
    with: { one: "item-\${{ item }}-\${{ steps.plain.outputs.value.reverse() }}" }
    sensitive: [one]
  - { id: twice, uses: core/log, with: { message: "\${{ json(steps.each.outputs) }}" } }
  - { id: fetch, uses: core/run, with: { runbook: ./fetch.yaml } }
  - { id: told, uses: core/log, with: { message: "token \${{ steps.fetch.outputs.token }}, \${{ steps.secret.outputs.key }}" } }
  - id: ask
    if: \${{ !inputs.ok }}
    uses: core/approve
    with: { message: "use \${{ steps.plain.outputs.value }}?", timeout: 1ms }
  - { id: sure, uses: core/assert, with: { that: ["\${{ inputs.ok }}"], message: "no \${{ steps.plain.outputs.value }}" } }
`

/** The runbooks that read the server, by their files. */
export const runbooksOf = (url: string): Readonly<Record<string, string>> => ({
  'rotate.yaml': rotateRunbook(url),
  'fetch.yaml': fetchRunbook(url),
})

/** What no view may show. */
export const hidden: readonly string[] = [
  password,
  token,
  `key-of-${token}`,
  [...password].reverse().join(''),
]
