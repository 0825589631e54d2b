/** The sessions that E6 can export. */
import { waitUnlessClosing } from '../clock.ts'
import { mainAccount, otherAccount } from '../keys.ts'
import {
  eventTime,
  formatLine,
  type LineOptions,
  metaOf,
  type RecordedSession,
  recordedLines,
  type SessionEvent,
} from './lines.ts'

/** A session as E6 sees it: who may have it, and its lines. */
interface Session {
  readonly accountId: number
  readonly createdBy: number
  readonly access: 'personal' | 'team'
  lines(options: LineOptions): AsyncIterable<string>
}

const event = (type: string, fields: SessionEvent['fields']): SessionEvent => ({ type, fields })

const question = event('user_message', { content: 'Why is checkout slow?' })
const thought = event('llm_call', { model: 'sandbox-model-1', input_tokens: 812, output_tokens: 96 })
const look = event('tool_call', {
  name: 'os.overview',
  input: { target_locator: 'web-01' },
  output: { cpu_percent: 21.4 },
  status: 'ok',
  duration_ms: 38,
})
const answer = event('final_answer', { content: 'The database waits for locks on shop.orders.' })

const session = (
  id: string,
  events: readonly SessionEvent[],
  more: Partial<RecordedSession> = {},
): RecordedSession => ({
  id,
  accountId: mainAccount,
  createdBy: 501,
  access: 'team',
  appName: 'sre-assistant',
  events,
  ...more,
})

const dispatch = (child: RecordedSession): SessionEvent => ({
  type: 'subagent_dispatch',
  child,
  fields: { agent_name: child.appName, child_session_id: child.id },
})

const grandchild = session('sess_nested_disk_smart', [question, look, answer], {
  appName: 'smart-reader',
  parentId: 'sess_nested_disk',
})
const child = session('sess_nested_disk', [question, dispatch(grandchild), look, answer], {
  appName: 'disk-checker',
  parentId: 'sess_nested',
})
const secondChild = session('sess_nested_database', [question, look, answer], {
  appName: 'database-checker',
  parentId: 'sess_nested',
})

export const recordedSessions: readonly RecordedSession[] = [
  session('sess_short', [
    question,
    thought,
    look,
    event('agent_text', { content: 'Looking at locks.' }),
    answer,
  ]),
  session('sess_nested', [question, dispatch(child), dispatch(secondChild), thought, answer]),
  child,
  secondChild,
  grandchild,
  session('sess_broken', [question, thought, look], {
    failsWith: 'the storage of the record did not answer',
  }),
  session('sess_personal', [question, answer], { access: 'personal' }),
  session('sess_team_2', [question, answer], { appName: 'team-2-assistant' }),
  session('sess_empty', []),
  session('sess_gap', [question, { ...thought, skips: 2 }, answer]),
  session('sess_error_event', [question, event('error', { content: 'the model refused', error: 'refused' })]),
  session('sess_numbers', [question], {
    rawEvents: ['"name":"trace.lookup","output":{"trace_id":9007199254740993},"status":"ok"'],
  }),
  session('sess_other', [question, answer], { accountId: otherAccount, createdBy: 601 }),
]

const byId = new Map(recordedSessions.map((item) => [item.id, item]))

/** A session by its id: a recorded one, `sess_capped` that never ends, or `sess_lines_<n>` of any size. */
export function findFixture(id: string): Session | undefined {
  const recorded = byId.get(id)
  if (recorded) return { ...recorded, lines: (options) => recordedLines(recorded, options) }
  const team = { accountId: mainAccount, createdBy: 501, access: 'team' } as const
  if (id === 'sess_capped') return { ...team, lines: (options) => endlessLines(id, options) }
  const count = /^sess_lines_([1-9]\d{0,9})$/.exec(id)?.[1]
  return count === undefined ? undefined : { ...team, lines: () => generatedLines(id, Number(count)) }
}

/** Every event line of a generated session has this many bytes, its newline included. */
const lineBytes = 1000

/** Lines that go out together: large enough to be quick, small enough to keep memory flat. */
const linesAtOnce = 64

const filler =
  'All checks of this round passed; the next round looks at disks, memory and open connections. '.repeat(11)

/** `count` lines in all, made while they are read. */
async function* generatedLines(id: string, count: number): AsyncGenerator<string> {
  yield formatLine(metaOf({ id, accountId: mainAccount, appName: 'generator' }, count - 1))
  for (let first = 1; first < count; first += linesAtOnce) {
    let chunk = ''
    for (let seq = first; seq < Math.min(first + linesAtOnce, count); seq++) chunk += generatedLine(seq)
    yield chunk
  }
}

/** Lines that never end, ten a second. */
async function* endlessLines(id: string, { closing }: LineOptions): AsyncGenerator<string> {
  yield formatLine(metaOf({ id, accountId: mainAccount, appName: 'generator' }, 100_000))
  for (let seq = 1; !closing.aborted; seq++) {
    yield generatedLine(seq)
    await waitUnlessClosing(100, closing)
  }
}

function generatedLine(seq: number): string {
  const start = `{"type":"agent_text","seq":${seq},"ts":"${eventTime(seq)}","content":"`
  return `${start}${filler.slice(0, lineBytes - start.length - 3)}"}\n`
}
