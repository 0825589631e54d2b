import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SessionLine } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { openService, type Service } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

async function linesOf(input: { session_id: string; include_subagents?: boolean }): Promise<SessionLine[]> {
  const lines: SessionLine[] = []
  for await (const line of service.client().streamSession(input)) lines.push(line)
  return lines
}

/** What each line is: the session that begins and the one that started it, or the kind of event. */
const outline = (lines: readonly SessionLine[]): readonly string[] =>
  lines.map((line) => {
    if (line.type !== 'session_meta') return line.type
    return ['=', line.session_id, line.parent_session_id].filter(Boolean).join(' ')
  })

/** Everything beside a file that begins with its name. */
const leftBeside = (file: string): readonly string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)))

describe('a record', () => {
  it(proves('§E6.path', '§E6.first-line', '§E6.to-file'), async () => {
    const file = service.file()
    let answer: Awaited<ReturnType<Service['through']>> | undefined
    const [arrived] = await service.receivedDuring(async () => {
      answer = await service.client().exportSession({ session_id: 'sess_short' }, { file })
    })
    expect(arrived).toMatchObject({ path: '/safari/session/export', body: { session_id: 'sess_short' } })
    const raw = await service.call('E6', { session_id: 'sess_short' })
    expect(raw.headers['content-type']).toBe('application/x-ndjson')
    expect(raw.text.endsWith('\n')).toBe(true)
    const lines = raw.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ type: 'session_meta', session_id: 'sess_short' })
    expect(lines.slice(1).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    const text = readFileSync(file, 'utf8')
    expect(text).toBe(raw.text)
    expect(answer?.data).toMatchObject({
      path: file,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      lines: 6,
      sub_sessions: 0,
      complete: 'yes',
      signs: [],
    })
    expect(answer?.requestId).toBe(arrived?.request_id)
    expect(leftBeside(file)).toEqual([basename(file)])
    // What was sent stays as it is; the tokens of a call of the model are there in both shapes besides.
    expect(await linesOf({ session_id: 'sess_short' })).toMatchObject(lines)
  })

  it(`${proves('§E6.to-file')} a line is here before the next one is made`, async () => {
    const seen: SessionLine[] = []
    // The session never ends: who waits for the whole record waits for ever.
    for await (const line of service.client().streamSession({ session_id: 'sess_capped' })) {
      seen.push(line)
      if (seen.length === 3) break
    }
    expect(outline(seen)).toEqual(['= sess_capped', 'agent_text', 'agent_text'])
  })

  it(proves('§E6.sub-sessions'), async () => {
    const flat = [
      '= sess_nested',
      'user_message',
      'subagent_dispatch',
      'subagent_dispatch',
      'llm_call',
      'final_answer',
    ]
    expect(outline(await linesOf({ session_id: 'sess_nested' }))).toEqual(flat)
    expect(outline(await linesOf({ session_id: 'sess_nested', include_subagents: true }))).toEqual([
      '= sess_nested',
      'user_message',
      'subagent_dispatch',
      '= sess_nested_disk sess_nested',
      'user_message',
      'subagent_dispatch',
      '= sess_nested_disk_smart sess_nested_disk',
      'user_message',
      'tool_call',
      'final_answer',
      'tool_call',
      'final_answer',
      'subagent_dispatch',
      '= sess_nested_database sess_nested',
      'user_message',
      'tool_call',
      'final_answer',
      'llm_call',
      'final_answer',
    ])
    const { data } = await service.through('E6', { session_id: 'sess_nested', include_subagents: true })
    expect(data).toMatchObject({ sub_sessions: 3, complete: 'yes' })
    expect((await service.through('E6', { session_id: 'sess_nested' })).data).toMatchObject({
      sub_sessions: 0,
      complete: 'yes',
    })
  })
})

const access = [
  ['§E6.personal', 'sess_personal', 'sandbox-owner', 'OK'],
  ['§E6.personal', 'sess_personal', 'sandbox-member', 'AccessDenied'],
  ['§E6.personal', 'sess_personal', 'sandbox-guest', 'AccessDenied'],
  ['§E6.team', 'sess_team_2', 'sandbox-owner', 'OK'],
  ['§auth.6', 'sess_team_2', 'sandbox-member', 'OK'],
  ['§E6.team', 'sess_team_2', 'sandbox-guest', 'OK'],
  ['§E6.team', 'sess_unknown', 'sandbox-owner', 'ResourceNotFound'],
  ['§E6.other-account', 'sess_team_2', 'sandbox-other', 'AccessDenied'],
  ['§E6.other-account', 'sess_personal', 'sandbox-other', 'AccessDenied'],
  ['§E6.other-account', 'sess_other', 'sandbox-owner', 'AccessDenied'],
  ['§E6.other-account', 'sess_other', 'sandbox-other', 'OK'],
] as const

describe('who may export', () => {
  it.each(access.map((row) => [`${proves(row[0])} ${row.slice(1).join(', ')}`, ...row] as const))(
    '%s',
    async (_title, _id, session_id, appKey, outcome) => {
      const client = service.client({ appKey })
      const file = service.file()
      const exported = client.exportSession({ session_id }, { file })
      if (outcome === 'OK') expect((await exported).data.complete).toBe('yes')
      else {
        expect(await failureOf(exported)).toMatchObject({ code: outcome, requestId: expect.any(String) })
        expect(leftBeside(file)).toEqual([])
      }
    },
  )
})

describe('a record that is not whole', () => {
  it(proves('§E6.cap'), async () => {
    await service.control('config', { export_cap_ms: 300 })
    const file = service.file()
    const failure = await failureOf(service.client().exportSession({ session_id: 'sess_capped' }, { file }))
    expect(failure).toMatchObject({
      code: 'TruncatedExport',
      message: expect.stringContaining('300 ms'),
      details: { signs: ['final_error_line'], path: `${file}.partial` },
    })
    expect(existsSync(file)).toBe(false)
    expect(readFileSync(`${file}.partial`, 'utf8')).toContain('"session_id":"sess_capped"')
  })

  it(proves('§E6.mid-stream', '§errors.rule-3'), async () => {
    const raw = await service.call('E6', { session_id: 'sess_broken' })
    expect(raw.status).toBe(200)
    expect(raw.text).toMatch(
      /\n\{"type":"error","error":\{"code":"InternalError",.*\},"request_id":"[0-9a-f]{32}"\}\n$/,
    )
    const file = service.file()
    const failure = await failureOf(service.client().exportSession({ session_id: 'sess_broken' }, { file }))
    expect(failure).toMatchObject({
      code: 'TruncatedExport',
      details: { signs: ['final_error_line'], lines: 5 },
    })
    expect(readFileSync(`${file}.partial`, 'utf8').split('\n').slice(0, -2)).toEqual(
      raw.text.split('\n').slice(0, -2),
    )
    const seen: SessionLine[] = []
    const read = async (): Promise<void> => {
      for await (const line of service.client().streamSession({ session_id: 'sess_broken' })) seen.push(line)
    }
    expect(await failureOf(read())).toMatchObject({ code: 'TruncatedExport' })
    expect(outline(seen)).toEqual(['= sess_broken', 'user_message', 'llm_call', 'tool_call', 'error'])
  })

  it.each([
    [{ lines: 3, end: 'error_line' }, 'final_error_line'],
    [{ lines: 3, end: 'half_line' }, 'last_line_without_newline'],
    [{ lines: 3, end: 'close' }, 'connection_closed_early'],
    [{ lines: 0, end: 'quiet' }, 'empty_body'],
  ])(`${proves('§E6.mid-stream')} %j: %s`, async (truncated_stream, sign) => {
    await service.control('faults', [{ operation: 'E6', times: 1, truncated_stream }])
    const failure = await failureOf(service.through('E6', { session_id: 'sess_short' }))
    expect(failure.code).toBe('TruncatedExport')
    expect(failure.details).toMatchObject({ signs: expect.arrayContaining([sign]) })
  })
})

describe('time', () => {
  it(proves('§time.E6'), async () => {
    const client = service.client()
    const file = service.file()
    const input = { session_id: 'sess_short' }
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(client.exportSession(input, { file, timeoutMs: 59_999 }))
      expect(failure).toMatchObject({ code: 'InvalidInput', message: expect.stringContaining('60000') })
    })
    expect(arrived).toEqual([])
    expect((await client.exportSession(input, { file, timeoutMs: 60_000 })).data.complete).toBe('yes')
  })
})
