/** A run is resumed through the console exactly as the comparison said, or not at all. */
import { expect, test } from 'vitest'
import { expectRefused, type Refusal } from './support/open-console.ts'
import { type ServedConsole, serveConsole } from './support/serve-console.ts'

const check = (words = 'before') => `apiVersion: opsbook/v1
name: check
title: Check a host
inputs: { type: object, properties: { ok: { type: boolean, default: false }, size: { type: integer, maximum: 5 } } }
steps:
  - { id: first, uses: core/log, with: { message: ${words} } }
  - { id: gate, uses: core/assert, with: { that: ["\${{ inputs.ok }}"], message: not yet } }
  - { id: last, uses: core/log, with: { message: done } }
`

interface Compared {
  readonly shown: string
  readonly comparison: { readonly steps: readonly { readonly path: string; readonly fate: string }[] }
}

async function compare({ act }: ServedConsole, runId: string, given: object): Promise<Compared> {
  const [status, compared] = await act(`/api/v1/runs/${runId}/comparison`, given)
  expect(status).toBe(200)
  return compared
}

const fates = ({ comparison }: Compared) => comparison.steps.map(({ path, fate }) => `${path} ${fate}`)

test('a failed run is compared, changed and resumed, which serve executes', async () => {
  const console = await serveConsole({ check: check() })
  const runId = await console.start('check', {}, 'failed')
  const address = `/api/v1/runs/${runId}/resume`
  const run = async () => await console.json(`/api/v1/runs/${runId}`)
  const plain = await compare(console, runId, {})
  expect(fates(plain)).toEqual(['first reused', 'gate to-do', 'last to-do'])
  expect(plain.comparison).toEqual(await console.document('resume', runId, '--dry-run'))
  // Resumed as it is, it fails again, and what was shown does not count any more.
  expect(await console.post(address, { shown: plain.shown })).toMatchObject({ status: 200 })
  await expect.poll(run).toMatchObject({ status: 'failed', resumes: [{ by: { source: 'console' } }] })
  expect(await console.act(address, { shown: plain.shown })).toMatchObject([
    409,
    { detail: expect.stringContaining('has changed since it was shown'), shown: expect.any(String) },
  ])
  // Other changes than those that were shown.
  const changes = { inputs: { ok: true }, skip: ['last'] }
  const { shown } = await compare(console, runId, { ...changes, skip: [] })
  expect(await console.post(address, { ...changes, shown })).toMatchObject({ status: 409 })
  const changed = await compare(console, runId, changes)
  expect(fates(changed)).toEqual(['first again', 'gate to-do', 'last skipped'])
  expect(await console.post(address, { ...changes, shown: changed.shown })).toMatchObject({ status: 200 })
  await expect.poll(run).toMatchObject({ status: 'succeeded' })
  expect((await run()).resumes).toMatchObject([{}, { by: { source: 'console', verified: true } }])
  const over = await console.post(address, { shown: changed.shown })
  expect([over.status, over.text]).toEqual([400, expect.stringContaining('nothing is left to do')])
  const page = await console.get(`/runs/${runId}/resume`, { accept: 'text/html' })
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('nothing is left to do')])
})

test('the forms work without scripts, and what does not fit is refused as it was filled in', async () => {
  const console = await serveConsole({ check: check() })
  const runId = await console.start('check', {}, 'failed')
  const page = await console.get(`/runs/${runId}/resume`, { accept: 'text/html' })
  expect(page.text).toMatch(/name="step:gate"[\s\S]*>Resume</)
  expect(page.text).not.toContain('name="newest"')
  const wrong = await console.send(`/runs/${runId}/comparison`, { 'set:size': '9', 'step:last': 'skip' })
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringMatching(/role="alert">Nothing was recorded[\s\S]*value="9"/),
  ])
  await console.write('runbooks/check.yaml', check('after'))
  const given = { 'choice:ok': '0', 'step:last': 'skip', newest: 'yes' }
  const compared = await console.send(`/runs/${runId}/comparison`, given)
  expect([compared.status, compared.text]).toEqual([200, expect.stringContaining('as its file is now')])
  const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(compared.text) ?? []
  await console.write('runbooks/check.yaml', check('later'))
  const stale = await console.send(`/runs/${runId}/resume`, { ...given, shown })
  expect([stale.status, stale.text]).toEqual([409, expect.stringContaining('has changed since it was shown')])
  await console.write('runbooks/check.yaml', check('after'))
  const resumed = await console.send(`/runs/${runId}/resume`, { ...given, shown })
  expect([resumed.status, resumed.headers.location]).toEqual([303, `/runs/${runId}`])
  await expect.poll(() => console.json(`/api/v1/runs/${runId}`)).toMatchObject({ status: 'succeeded' })
})

test('what is sensitive in the runbook as it is now is not sent back either', async () => {
  const console = await serveConsole({ check: check() })
  const runId = await console.start('check', {}, 'failed')
  const added = check().replace('size: {', 'word: { type: string, writeOnly: true }, size: {')
  await console.write('runbooks/check.yaml', added)
  const given = { 'set:word': 'sesame77', 'set:size': '9' }
  for (const more of [{ newest: 'yes' }, {}]) {
    const refused = await console.send(`/runs/${runId}/comparison`, { ...given, ...more })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('value="9"')])
    expect(refused.text).not.toContain('sesame77')
  }
  const compared = await console.send(`/runs/${runId}/comparison`, {
    ...given,
    'set:size': '3',
    newest: 'yes',
  })
  expect([compared.status, compared.text]).toEqual([200, expect.stringContaining('value="3"')])
  expect(compared.text).not.toContain('sesame77')
})

const refusals: readonly Refusal[] = [
  ['comparison', { skip: ['none'] }, 400, 'none'],
  ['comparison', { skip: 'last', by: 'bob' }, 400, 'additional properties'],
  ['comparison', { inputs: { size: 9 } }, 400, 'size'],
  ['resume', {}, 400, 'shown'],
  ['resume', { shown: '1-0123456789' }, 409, 'has changed since it was shown'],
]

test('what names nothing that was shown is refused, and a run of another project is left alone', async () => {
  const console = await serveConsole({ check: check() })
  const runId = await console.start('check', {}, 'failed')
  await expectRefused(
    console,
    refusals.map(([act, ...others]) => [`/api/v1/runs/${runId}/${act}`, ...others]),
  )
  expect(await console.json(`/api/v1/runs/${runId}`)).toMatchObject({ status: 'failed', resumes: [] })
  const other = await console.document('run', 'check')
  const { shown } = await compare(console, other.run_id, {})
  const refused = await console.post(`/api/v1/runs/${other.run_id}/resume`, { shown })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not to this sandbox')])
})

test('a create of a clean-up is announced as on the command line, and can be kept', async () => {
  const ends = `${check()}finally:
  - { id: made, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
`
  const console = await serveConsole({ check: ends })
  const runId = await console.start('check', {}, 'failed')
  const plain = await compare(console, runId, {})
  expect(fates(plain)).toEqual(['first reused', 'gate to-do', 'last to-do', 'made again'])
  expect(plain.comparison).toEqual(await console.document('resume', runId, '--dry-run'))
  const page = await console.get(`/runs/${runId}/resume`, { accept: 'text/html' })
  expect(page.text).toContain('the clean-up runs at each ending; --keep made keeps its result')
  const { shown, ...kept } = await compare(console, runId, { keep: ['made'] })
  expect(fates({ shown, ...kept }).at(-1)).toBe('made kept')
  expect(await console.post(`/api/v1/runs/${runId}/resume`, { keep: ['made'], shown })).toMatchObject({
    status: 200,
  })
  const run = async () => console.json(`/api/v1/runs/${runId}`)
  await expect.poll(run).toMatchObject({ status: 'failed', resumes: [{ changes: { keep: ['made'] } }] })
  expect(fates(await compare(console, runId, {})).at(-1)).toBe('made kept')
})
