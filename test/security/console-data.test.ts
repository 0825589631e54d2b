/** What a run holds must not become a page of the console, leave its folder, or be seen where it is sensitive. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder, opsbook, untilAsked } from '../cli/support/opsbook.ts'
import { openConsole } from '../console/support/open-console.ts'

const page = '<script>alert(1)</script><h1>Log in again</h1>'
const canary = 'sesame-42-canary'

const runbook = `apiVersion: opsbook/v1
name: test
title: "</script>${page}"
inputs: { type: object, required: [word], properties: { word: { type: string, writeOnly: true } } }
steps:
  - { id: write, uses: core/write, with: { content: "${page}" }, save-as: sub/page.html }
  - { id: tell, name: "${page}", uses: core/log, with: { message: "${page} \${{ inputs.word }}" } }
  - id: hosts
    for-each: { items: ["\${{ inputs.word }}", "${page}"], tolerate: all }
    steps:
      - { id: check, uses: core/assert, with: { that: ["\${{ false }}"], message: "not \${{ inputs.word }}" } }
  - id: block
    continue-on-error: true
    uses: core/assert
    with: { that: ["\${{ false }}"], message: "at last \${{ inputs.word }}" }
outputs: { word: "\${{ inputs.word }}" }
`

async function stage() {
  const folder = await newFolder({ 'secret.txt': 'precious', 'runbooks/test.yaml': runbook })
  const run = await opsbook(
    ['run', 'test', '--sandbox', '--data-dir', 'data', '--input', `word=${canary}`, '-q'],
    { folder },
  )
  expect(run).toMatchObject({ code: 0 })
  const console = await openConsole(join(folder, 'data'), { folder })
  const { runs } = await console.json('/api/v1/runs')
  return { folder, console, runId: runs[0]?.run_id ?? '' }
}

/** All that a session can read, but for streams, which have no end. */
function addresses(routes: readonly { readonly method: string; readonly path: string }[]): readonly string[] {
  const tabs = ['steps', 'time', 'items', 'journal', 'data', 'graph', 'step&step=hosts', 'step&step=tell']
  return routes.flatMap(({ method, path }) => {
    if (method !== 'GET' || path.startsWith('/assets') || path.endsWith('/stream')) return []
    const within = encodeURIComponent(/\/(items|steps)\//.test(path) ? 'hosts[0]' : 'sub/page.html')
    const address = path
      .replace('*', within)
      .replace(':id', 'latest')
      .replace(':name', 'test')
      .replace(':hook', 'x')
    if (address === '/runs/latest') return [address, ...tabs.map((tab) => `${address}?tab=${tab}`)]
    return address.endsWith('/items') ? [`${address}?step=hosts`] : [address]
  })
}

const asking = `apiVersion: opsbook/v1
name: asking
inputs: { type: object, required: [word], properties: { word: { type: string, writeOnly: true } } }
steps:
  - { id: ok, uses: core/approve, with: { message: "Send \${{ inputs.word }}?" } }
  - { id: tell, uses: core/log, with: { message: "sent \${{ inputs.word }}" } }
  - { id: hosts, for-each: { items: ["\${{ inputs.word }}"], tolerate: all }, uses: core/assert, with: { that: ["\${{ false }}"], message: "not \${{ inputs.word }}" } }
  - { id: check, uses: core/assert, with: { that: ["\${{ false }}"], message: "at last \${{ inputs.word }}" } }
`

/** Reads a stream until its text fits, and then a little more. */
async function readStream(
  url: string,
  cookie: string,
  onOpen: () => void,
  isWhole: (text: string) => boolean,
) {
  const answer = await fetch(url, { headers: { cookie } })
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of answer.body ?? []) {
    if (text === '') onOpen()
    text += decoder.decode(bytes as Uint8Array, { stream: true })
    if (isWhole(text)) break
  }
  return text
}

describe('files of runs', () => {
  it('are saved by browsers, and never shown', async () => {
    const { console } = await stage()
    const { files } = await console.json('/api/v1/runs/latest/files')
    expect(files).toMatchObject([{ file: 'sub/page.html', path: 'write' }])
    const answer = await console.get(`/api/v1/runs/latest/files/${encodeURIComponent(files[0]?.file ?? '')}`)
    expect(answer).toMatchObject({ status: 200, text: page })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    '../../../secret.txt',
    '..%2f..%2f..%2fsecret.txt',
    '%2e%2e/%2e%2e/%2e%2e/secret.txt',
    'sub/../../../../secret.txt',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'planted.txt',
    'link.txt',
    'sub',
    '',
    '%00',
  ])('are those of the record: not %j', async (name) => {
    const { console, folder, runId } = await stage()
    writeFileSync(join(folder, 'data/runs', runId, 'planted.txt'), 'planted')
    symlinkSync(join(folder, 'secret.txt'), join(folder, 'data/runs', runId, 'link.txt'))
    const { status, text } = await console.get(`/api/v1/runs/latest/files/${name}`)
    expect([400, 404]).toContain(status)
    expect(text).not.toMatch(/precious|planted|root:/)
  })

  it.each(['../secret', '..%2f..%2fsecret.txt', '%2e%2e%2fopsbook', '/etc/passwd', 'test.yaml'])(
    'a runbook is named, and its name is no path: %s',
    async (name) => {
      const { console } = await stage()
      const { status } = await console.get(`/api/v1/runbooks/${name}`)
      expect([name, status]).toEqual([name, 404])
    },
  )
})

describe('what a run holds', () => {
  it('is text on every page: its markup is never markup', async () => {
    const { console } = await stage()
    for (const address of addresses(console.routes)) {
      const { text, headers } = await console.get(address, { accept: 'text/html' })
      if (!String(headers['content-type']).startsWith('text/html')) continue
      expect([address, text.includes('<script>alert'), text.includes('<h1>Log in')]).toEqual([
        address,
        false,
        false,
      ])
      // The state inside ends where the page says so.
      expect([address, text.match(/<\/script>/g)?.length]).toEqual([address, 2])
    }
  })

  it('is masked in every byte where it is sensitive', async () => {
    const { console, runId } = await stage()
    const seen = await Promise.all(addresses(console.routes).map((address) => console.get(address)))
    expect(seen.some(({ text }) => text.includes(runId))).toBe(true)
    for (const [at, { text, headers }] of seen.entries())
      expect([addresses(console.routes)[at], `${text}${JSON.stringify(headers)}`.includes(canary)]).toEqual([
        addresses(console.routes)[at],
        false,
      ])
    expect(console.defects).toEqual([])
  })

  it('is masked in a stream of a run from its question to its end', async () => {
    const { folder, console } = await stage()
    writeFileSync(join(folder, 'runbooks/asking.yaml'), asking)
    const words = ['--data-dir', 'data']
    const { ended } = await untilAsked(
      ['run', 'asking', '--sandbox', '--input', `word=${canary}`, ...words],
      { folder },
    )
    const approve = () => void opsbook(['approve', 'latest', 'ok', ...words], { folder })
    const text = await readStream(
      `${console.url}/api/v1/stream?topics=run:latest,inbox,now`,
      console.cookie,
      approve,
      (read) => /"path":"check"[^}]*"status":"failed"/.test(read),
    )
    await ended
    expect(text).toContain('Send (masked)?')
    expect(text).toContain('at last (masked)')
    expect(text).not.toContain(canary)
    for (const encoded of [Buffer.from(canary).toString('base64'), encodeURIComponent(canary)])
      expect(text).not.toContain(encoded)
  })
})

describe('GET', () => {
  it('changes nothing, whatever the address', async () => {
    const { console, folder } = await stage()
    const before = stateOf(folder)
    for (const address of addresses(console.routes)) await console.get(address)
    expect(stateOf(folder)).toEqual(before)
  })
})

/** Every file of a folder by its hash. What only a reader of the database touches is left out. */
function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile() && !/-(wal|shm)$/.test(name))
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
    .toSorted()
}
