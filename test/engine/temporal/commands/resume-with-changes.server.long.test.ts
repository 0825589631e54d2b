import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engines, openEngines } from './open-engines.ts'

/** Makes what it is asked for, and keeps the names. */
const made: string[] = []
const server = createServer((request, response) => {
  made.push(request.url ?? '')
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"id": "x1"}')
})

const runbook = (more: string): string => `apiVersion: opsbook/v1
name: roll
inputs:
  type: object
  required: [url]
  properties: { url: { type: string }, host: { type: string, default: web-01 } }
steps:
  - { id: note, uses: core/set, with: { host: "\${{ inputs.host }}" } }
  - { id: app, uses: core/http, with: { method: POST, url: "\${{ inputs.url }}/app" } }
  - id: each
    for-each: { items: [a, b], as: name }
    uses: core/http
    with: { method: POST, url: "\${{ inputs.url }}/\${{ name }}" }
  - { id: pause, uses: core/wait, with: { for: 1ms } }
  - { id: file, uses: core/write, with: { content: "\${{ steps.app.outputs.body.id }}" }, save-as: app.txt }
  - { id: check, uses: core/assert, with: { that: ["\${{ inputs.host == 'web-02' }}"], message: not this host } }
${more}`
const files = {
  'roll.yaml': runbook(''),
  'next.yaml': runbook(
    '  - { id: last, uses: core/http, with: { method: POST, url: "${{ inputs.url }}/last" } }\n',
  ),
}

let engines: Engines
let url: string

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  engines = await openEngines(files)
}, 60_000)

afterAll(async () => {
  await engines.close()
  server.close()
}, 60_000)

/** What a resume says, one after the other: words, and the exit code. */
const resumes: readonly (readonly [words: readonly string[], code: number])[] = [
  [['--dry-run'], 0],
  [['--input', 'host=web-02', '--dry-run'], 0],
  [['--runbook', 'next.yaml', '--dry-run', '-o', 'json'], 0],
  [['--from', 'app', '--dry-run'], 2],
  [['--from', 'app'], 2],
  [['--from', 'app', '--keep', 'app'], 2],
  [['--repeat', 'nothing'], 2],
  [['--runbook', 'next.yaml', '--skip', 'note', '--from', 'pause'], 1],
  [['--input', 'host=web-02', '--keep', 'each', '--repeat', 'app'], 0],
]

test('a run is changed alike on both engines, and nothing is made twice without a word', async () => {
  const play = async (engine: Engines['temporal'], flags: readonly string[]) => {
    made.splice(0)
    const run = await engine(['run', 'roll.yaml', '-i', `url=${url}`, '-o', 'json'])
    expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 1 })
    const { run_id: id } = JSON.parse(run.stdout)
    const said: string[] = []
    for (const [words, code] of resumes) {
      const { stdout, stderr, ...ended } = await engine(['resume', id, ...words, ...flags])
      expect({ words, code: ended.code, stderr }).toMatchObject({ code })
      said.push(normal(`${words.join(' ')}\n${stdout}\n${stderr}`, id))
    }
    const shown = await engine(['show', id])
    const { resumes: records } = JSON.parse((await engine(['show', id, '-o', 'json'])).stdout)
    return { said, made: [...made], shown: normal(shown.stdout, id), records: records.map(withoutMoment) }
  }
  const embedded = await play(engines.embedded, ['--sandbox'])
  const temporal = await play(engines.temporal, [])
  expect(temporal).toEqual(embedded)
  expect(temporal.made).toEqual(['/app', '/a', '/b', '/app', '/last'])
})

function withoutMoment({ at: _, ...record }: { readonly at: string }): object {
  return record
}

/** What differs from one run to the next. */
function normal(text: string, id: string): string {
  return text
    .replaceAll(id, 'RUN')
    .replaceAll(engines.folder, 'FOLDER')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?/g, 'MOMENT')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
    .replaceAll(/\b\d+(\.\d+)?(ms|s)\b/g, 'SPAN')
    .replaceAll(/^ *connection .*\n/gm, '')
    .replaceAll(/ +/g, ' ')
}
