import { EventEmitter, once } from 'node:events'
import { toolOutputText } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { type RecordSummary, readRecord, type SessionLine } from '../../../src/api/session-record/index.ts'
import { RunbookError } from '../../../src/core/run-error.ts'
import { errorOf, inChunks, readingOf, thenFailing } from './feed.ts'
import { event, meta } from './records.ts'

async function collect(lines: AsyncIterable<SessionLine>): Promise<readonly SessionLine[]> {
  const all: SessionLine[] = []
  for await (const line of lines) all.push(line)
  return all
}

describe('the lines of a record', () => {
  it('come typed, and those of other kinds as they are', async () => {
    const text = `${meta('s') + event('tool_call', 1, { name: 'os.overview', duration_ms: 12 })}{"type":"plan","seq":2,"ts":"t"}\n{"note":1}\n${event('final_answer', 3, { content: 'x' })}`
    const [first, call, plan, note, last] = await collect(readRecord(inChunks(Buffer.from(text))))
    expect(first?.type === 'session_meta' && first.session_id).toBe('s')
    expect(call?.type === 'tool_call' && [call.name, call.duration_ms]).toEqual(['os.overview', 12])
    expect(plan).toEqual({ type: 'other', kind: 'plan', line: { type: 'plan', seq: 2, ts: 't' } })
    expect(note).toEqual({ type: 'other', line: { note: 1 } })
    expect(last?.type === 'final_answer' && last.content).toBe('x')
  })

  it.each([
    { sent: { input_tokens: 812, output_tokens: 96 } },
    { sent: { usage: { input_tokens: 812, output_tokens: 96, cached: 3 } } },
  ])('say what a call of the model used, wherever the service puts it: $sent', async ({ sent }) => {
    const text = `${meta('s')}${event('llm_call', 1, { model: 'm', ...sent })}`
    const [, call] = await collect(readRecord(inChunks(Buffer.from(text))))
    const tokens = { input_tokens: 812, output_tokens: 96 }
    expect(call).toMatchObject({ type: 'llm_call', model: 'm', ...tokens, usage: tokens, ...sent })
  })

  it.each([
    { output: { load: 1 }, text: '{"load":1}' },
    { output: 'load: 1', text: 'load: 1' },
    { output: undefined, text: '' },
  ])('give the output of a tool as a text: $output', async ({ output, text }) => {
    const line = event('tool_call', 1, output === undefined ? {} : { output })
    const [, call] = await collect(readRecord(inChunks(Buffer.from(meta('s') + line))))
    expect(call?.type === 'tool_call' && [call.output, toolOutputText(call)]).toEqual([output, text])
  })

  it('come as soon as they are here', async () => {
    const gate = new EventEmitter()
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(meta('s') + event('user_message', 1).slice(0, 10))
      await once(gate, 'open')
      yield Buffer.from(event('user_message', 1).slice(10))
    }
    const lines = readRecord(slow())
    expect((await lines.next()).value).toMatchObject({ type: 'session_meta' })
    const next = lines.next()
    setImmediate(() => gate.emit('open'))
    expect((await next).value).toMatchObject({ type: 'user_message' })
    expect((await lines.next()).done).toBe(true)
  })

  it('keep every digit of integers that a number cannot hold', async () => {
    const text = `${meta('s')}{"type":"tool_call","seq":1,"ts":"t","output":{"trace":9007199254740993,"small":12,"text":"9007199254740993"}}\n`
    let summary: RecordSummary | undefined
    const onEnd = (end: RecordSummary): void => {
      summary = end
    }
    const [, call] = await collect(readRecord(inChunks(Buffer.from(text)), { onEnd }))
    expect(call).toMatchObject({ output: { trace: '9007199254740993', small: 12, text: '9007199254740993' } })
    expect(summary).toEqual({
      lines: 2,
      sub_sessions: 0,
      complete: 'yes',
      signs: [],
      numbersAsText: 1,
    })
  })

  it('all arrive before a record is found to be truncated', async () => {
    const text = meta('s') + event('user_message', 1) + event('tool_call', 2)
    const lost = new RunbookError('ConnectionLost', 'the connection broke')
    const read: string[] = []
    const error = await errorOf(
      (async () => {
        for await (const line of readRecord(thenFailing(lost, Buffer.from(text)))) read.push(line.type)
      })(),
    )
    expect(read).toEqual(['session_meta', 'user_message', 'tool_call'])
    expect(error).toMatchObject({
      code: 'TruncatedExport',
      cause: lost,
      details: { signs: ['connection_closed_early'], lines: 3, bytes: Buffer.byteLength(text) },
    })
  })

  it('leave a broken line out and continue', async () => {
    const text = `${meta('s') + event('user_message', 1)}broken\n${event('final_answer', 2)}`
    const { verdict, signs, read } = await readingOf(inChunks(Buffer.from(text)))
    expect({ verdict, signs }).toEqual({ verdict: 'truncated', signs: ['broken_line'] })
    expect(read.map(({ type }) => type)).toEqual(['session_meta', 'user_message', 'final_answer'])
  })

  it('include a last one without its newline', async () => {
    const text = meta('s') + event('user_message', 1).trimEnd()
    const { verdict, read } = await readingOf(inChunks(Buffer.from(text)))
    expect(verdict).toBe('truncated')
    expect(read.map(({ type }) => type)).toEqual(['session_meta', 'user_message'])
  })

  it('pass on an error that came before any byte', async () => {
    const refused = new RunbookError('Unauthorized', 'the key is not valid')
    expect(await errorOf(collect(readRecord(thenFailing(refused))))).toBe(refused)
  })
})

describe('a line of a record', () => {
  it.each([
    [1000, 'within the limit'],
    [900, 'beyond it'],
  ])('of 1000 bytes with a limit of %i is %s', async (maxLineBytes) => {
    const start = '{"type":"agent_text","seq":1,"ts":"t","content":"'
    const long = `${start}${'x'.repeat(1000 - start.length - 2)}"}`
    const chunks = `${meta('s')}${long}\n`.match(/.{1,64}|\n/gs)?.map((part) => Buffer.from(part)) ?? []
    const reading = collect(readRecord(inChunks(...chunks), { maxLineBytes }))
    if (maxLineBytes === 1000) expect(await reading).toHaveLength(2)
    else
      expect(await errorOf(reading)).toMatchObject({
        code: 'AnswerTooLarge',
        message: expect.stringContaining('line 2'),
      })
  })

  it('without an end takes no more memory than the limit', async () => {
    let sent = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      while (true) {
        sent += 65_536
        yield Buffer.alloc(65_536, 'x')
      }
    }
    const error = await errorOf(collect(readRecord(endless(), { maxLineBytes: 1_000_000 })))
    expect(error.code).toBe('AnswerTooLarge')
    expect(sent).toBeLessThan(1_200_000)
  })
})

describe('a reader that stops early', () => {
  it('cancels the source', async () => {
    let isCancelled = false
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (let seq = 0; ; seq++) yield Buffer.from(seq === 0 ? meta('s') : event('agent_text', seq))
      } finally {
        isCancelled = true
      }
    }
    for await (const line of readRecord(source())) if (line.type === 'agent_text') break
    expect(isCancelled).toBe(true)
  })
})
