/** Records as text, and what is known of each once it has been read. */
export interface RecordCase {
  readonly name: string
  readonly text: string | Buffer
  readonly includeSubagents?: boolean
  readonly lines: number
  readonly subSessions?: number
  readonly verdict: 'yes' | 'unknown' | 'truncated'
  readonly signs?: readonly string[]
  readonly doubt?: string
}

type Fields = Readonly<Record<string, unknown>>

const startedAt = Date.parse('2026-03-01T10:00:00Z')
/** Events are ten seconds apart, so that one missing event at the end is a clear distance. */
const time = (step: number): string => new Date(startedAt + step * 10_000).toISOString()

const line = (fields: Fields): string => `${JSON.stringify(fields)}\n`
export const meta = (id: string, fields: Fields = {}): string =>
  line({ type: 'session_meta', session_id: id, started_at: time(0), ...fields })
export const event = (type: string, seq: number, fields: Fields = {}): string =>
  line({ type, seq, ts: time(seq), ...fields })

const ask = event('user_message', 1, { content: 'Why is checkout slow? ✓ 为什么 🚒' })
const call = (seq: number): string =>
  event('tool_call', seq, {
    name: 'mysql.query',
    // What is nested is no line of its own, whatever it looks like.
    input: { type: 'error', seq: 99, text: '{"type":"error","seq":7}' },
    output: [{ type: 'session_meta', rows: 3 }, 'a \\ and a " and {'],
    status: 'ok',
  })
const answer = (seq: number): string => event('final_answer', seq, { content: 'Locks on orders.' })
const dispatch = (seq: number, child: string): string =>
  event('subagent_dispatch', seq, { agent_name: 'disk', child_session_id: child })
const lastTime = { ended_at: time(4) }

const short = meta('s', lastTime) + ask + event('llm_call', 2) + call(3) + answer(4)
const child = (id: string, parent: string): string =>
  meta(id, { parent_session_id: parent, ended_at: time(3) }) + ask + call(2) + answer(3)
const nestedChild =
  meta('a', { parent_session_id: 's', ended_at: time(4) }) +
  ask +
  dispatch(2, 'b') +
  child('b', 'a') +
  call(3) +
  answer(4)
const nested =
  meta('s', { ended_at: time(5) }) +
  ask +
  dispatch(2, 'a') +
  nestedChild +
  dispatch(3, 'c') +
  child('c', 's') +
  call(4) +
  answer(5)
/** The event after the sub-session would fit both sessions by its number. */
const sameNumbers =
  meta('s', { ended_at: time(5) }) +
  ask +
  event('llm_call', 2) +
  dispatch(3, 'a') +
  child('a', 's') +
  call(4) +
  answer(5)
const rewritten = (text: string, change: (fields: Fields) => Fields): string =>
  text
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => line(change(JSON.parse(row))))
    .join('')
const sorted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Records without signs. Their sessions have an end, so each cut is detected. */
export const wholeRecords: readonly RecordCase[] = [
  { name: 'a short session', text: short, lines: 5, verdict: 'yes' },
  {
    name: 'sub-sessions of sub-sessions',
    text: nested,
    includeSubagents: true,
    lines: 19,
    subSessions: 3,
    verdict: 'yes',
  },
  {
    name: 'a sub-session that stops one number before its parent continues',
    text: sameNumbers,
    includeSubagents: true,
    lines: 10,
    subSessions: 1,
    verdict: 'yes',
  },
  {
    name: 'fields in alphabetical order: the payload comes before type and seq',
    text: rewritten(nested, sorted),
    includeSubagents: true,
    lines: 19,
    subSessions: 3,
    verdict: 'yes',
  },
  {
    name: 'spaces after colons and commas',
    text: short.replaceAll('","', '", "').replaceAll('":', '": '),
    lines: 5,
    verdict: 'yes',
  },
  { name: 'lines that end in CRLF', text: short.replaceAll('\n', '\r\n'), lines: 5, verdict: 'yes' },
  { name: 'a byte order mark', text: `\uFEFF${short}`, lines: 5, verdict: 'yes' },
  { name: 'empty lines', text: `\n${short.replaceAll('\n', '\n\n \t\n')}`, lines: 5, verdict: 'yes' },
  {
    name: 'lines that begin with spaces',
    text: short.replaceAll('\n{', '\n \t{'),
    lines: 5,
    verdict: 'yes',
  },
  { name: 'a byte order mark on an empty line', text: `\uFEFF\n${short}`, lines: 5, verdict: 'yes' },
  {
    name: 'a last event at the end of the session that is no final answer',
    text: meta('s', { ended_at: time(2) }) + ask + call(2),
    lines: 3,
    verdict: 'yes',
  },
]

export const otherRecords: readonly RecordCase[] = [
  { name: 'a session that goes on', text: meta('s') + ask + call(2), lines: 3, verdict: 'yes' },
  {
    name: 'a session whose end is null',
    text: meta('s', { ended_at: null }) + ask,
    lines: 2,
    verdict: 'yes',
  },
  { name: 'a session without events', text: meta('s'), lines: 1, verdict: 'yes' },
  {
    name: 'a sub-session that is over with its final answer, where the numbers of its parent follow its own',
    text:
      meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a') +
      ask +
      answer(2) +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 8,
    subSessions: 1,
    verdict: 'yes',
  },
  {
    name: 'a sub-session that is over by its time, where the numbers of its parent follow its own',
    text:
      meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a', { ended_at: time(2) }) +
      ask +
      event('error', 2) +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 8,
    subSessions: 1,
    verdict: 'yes',
  },
  {
    name: 'a sub-session whose user continues after the final answer',
    text:
      meta('s', { ended_at: time(9) }) +
      ask +
      dispatch(2, 'a') +
      meta('a') +
      ask +
      answer(2) +
      event('user_message', 3) +
      answer(4) +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 10,
    subSessions: 1,
    verdict: 'yes',
  },
  {
    name: 'two sub-sessions one after the other, told apart by their parent',
    text:
      meta('s', { ended_at: time(9) }) +
      ask +
      dispatch(2, 'a') +
      meta('a', { parent_session_id: 's' }) +
      ask +
      call(2) +
      meta('b', { parent_session_id: 's' }) +
      ask +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 10,
    subSessions: 2,
    verdict: 'yes',
  },
  {
    name: 'dispatches without their sub-sessions, which were not asked for',
    text: meta('s', lastTime) + ask + dispatch(2, 'a') + call(3) + answer(4),
    lines: 5,
    verdict: 'yes',
  },
  {
    name: 'lines without numbers or times throughout',
    text: line({ session_meta: { session_id: 's' } }) + line({ type: 'final_answer', content: 'x' }),
    lines: 2,
    verdict: 'yes',
  },
  {
    name: 'an error event in the middle',
    text: meta('s', lastTime) + ask + event('error', 2, { content: 'retrying' }) + call(3) + answer(4),
    lines: 5,
    verdict: 'yes',
  },
  {
    name: 'an unknown kind in the middle',
    text: meta('s', lastTime) + ask + event('plan_update', 2) + call(3) + answer(4),
    lines: 5,
    verdict: 'yes',
  },

  {
    name: 'a gap',
    text: meta('s', lastTime) + ask + call(3) + answer(4),
    lines: 4,
    verdict: 'unknown',
    signs: ['seq_gap'],
  },
  {
    name: 'a gap at the beginning',
    text: meta('s') + call(2) + answer(3),
    lines: 3,
    verdict: 'unknown',
    signs: ['seq_gap'],
  },
  {
    name: 'a number twice',
    text: meta('s') + ask + call(2) + call(2) + answer(3),
    lines: 5,
    verdict: 'unknown',
    signs: ['seq_gap'],
  },
  {
    name: 'a gap in a sub-session',
    text:
      meta('s') +
      ask +
      dispatch(2, 'a') +
      meta('a', { parent_session_id: 's' }) +
      ask +
      call(3) +
      answer(4) +
      answer(3),
    includeSubagents: true,
    lines: 8,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['seq_gap'],
  },
  {
    name: 'a gap in a sub-session whose numbers belong to no other session',
    text:
      meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a') +
      ask +
      call(7) +
      answer(8) +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 9,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['seq_gap'],
    doubt: 'line 6 has seq 7 where 2 is next in session a',
  },
  {
    name: 'an event that would continue a sub-session which an event of its parent has ended',
    text:
      meta('s') +
      ask +
      dispatch(2, 'a') +
      meta('a', { parent_session_id: 's' }) +
      [1, 2, 3, 4].map(call).join('') +
      call(3) +
      call(5),
    includeSubagents: true,
    lines: 10,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['seq_gap'],
    doubt: 'line 10 has seq 5 where 4 is next in session s',
  },
  {
    name: 'a gap in the parent behind a sub-session',
    text: meta('s') + ask + dispatch(2, 'a') + child('a', 's') + answer(9),
    includeSubagents: true,
    lines: 8,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['seq_gap'],
  },
  {
    name: 'an error event at the end',
    text: meta('s') + ask + event('error', 2, { content: 'the model refused' }),
    lines: 3,
    verdict: 'unknown',
    signs: ['error_event_last'],
  },
  {
    name: 'an event with an error at the end',
    text: meta('s') + ask + event('tool_call', 2, { error: { code: 'timeout' } }),
    lines: 3,
    verdict: 'unknown',
    signs: ['error_event_last'],
  },
  {
    name: 'a failure that pretends to be an event of an unknown kind',
    text: meta('s') + ask + event('stream_aborted', 2, { reason: 'boom' }),
    lines: 3,
    verdict: 'unknown',
    signs: ['last_line_unclear'],
  },
  {
    name: 'a last event of a known kind without a number where others have one',
    text: meta('s') + ask + line({ type: 'final_answer', content: 'x' }),
    lines: 3,
    verdict: 'unknown',
    signs: ['last_line_unclear'],
  },
  {
    name: 'a last event of an unknown kind where nothing has numbers',
    text: meta('s') + line({ type: 'summary', content: 'x' }),
    lines: 2,
    verdict: 'unknown',
    signs: ['last_line_unclear'],
  },
  {
    name: 'a last event without a time',
    text: meta('s') + ask + line({ type: 'agent_text', seq: 2 }),
    lines: 3,
    verdict: 'unknown',
    signs: ['last_line_unclear'],
  },
  {
    name: 'an end that was promised and is not here',
    text: meta('s', lastTime) + ask + call(2),
    lines: 3,
    verdict: 'unknown',
    signs: ['end_not_reached'],
  },
  {
    name: 'an end that is announced in an unknown way',
    text: meta('s', { ended_at: 'yesterday' }) + ask + call(2),
    lines: 3,
    verdict: 'unknown',
    signs: ['end_not_reached'],
  },
  {
    name: 'an end of the parent that was promised, behind a whole sub-session',
    text: meta('s', lastTime) + ask + dispatch(2, 'a') + child('a', 's'),
    includeSubagents: true,
    lines: 7,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['end_not_reached'],
  },
  {
    name: 'an end of the sub-session that was promised',
    text: meta('s') + ask + dispatch(2, 'a') + meta('a', { ended_at: time(9) }) + ask,
    includeSubagents: true,
    lines: 5,
    subSessions: 1,
    verdict: 'unknown',
    signs: ['end_not_reached'],
  },
  {
    name: 'a dispatch whose sub-session is not here',
    text: meta('s', lastTime) + ask + dispatch(2, 'a') + call(3) + answer(4),
    includeSubagents: true,
    lines: 5,
    verdict: 'unknown',
    signs: ['sub_session_missing'],
  },
  {
    name: 'a dispatch that is written with an escape',
    text:
      meta('s', lastTime) +
      ask +
      dispatch(2, 'a').replace('subagent_dispatch', 'subagent\\u005fdispatch') +
      call(3) +
      answer(4),
    includeSubagents: true,
    lines: 5,
    verdict: 'unknown',
    signs: ['sub_session_missing'],
  },
  {
    name: 'a dispatch at the end whose sub-session is not here',
    text: meta('s') + ask + dispatch(2, 'a'),
    includeSubagents: true,
    lines: 3,
    verdict: 'unknown',
    signs: ['sub_session_missing'],
  },
  {
    name: 'an error line that is no event in the middle',
    text:
      meta('s', lastTime) +
      ask +
      line({ error: { code: 'InternalError', message: 'x' } }) +
      call(2) +
      call(3) +
      answer(4),
    lines: 6,
    verdict: 'unknown',
    signs: ['error_line_inside'],
  },

  { name: 'nothing', text: '', lines: 0, verdict: 'truncated', signs: ['empty_body'] },
  { name: 'empty lines alone', text: '\r\n\n', lines: 0, verdict: 'truncated', signs: ['empty_body'] },
  {
    name: 'no meta line',
    text: ask + answer(2),
    lines: 2,
    verdict: 'truncated',
    signs: ['first_line_not_session_meta'],
  },
  {
    name: 'a page of a gateway',
    text: '<html>\n<body>bad gateway</body>\n</html>\n',
    lines: 3,
    verdict: 'truncated',
    signs: ['first_line_not_session_meta', 'broken_line', 'last_line_not_json'],
  },
  {
    name: 'an envelope with an error',
    text: line({ request_id: 'r', error: { code: 'InternalError', message: 'x' } }),
    lines: 1,
    verdict: 'truncated',
    signs: ['first_line_not_session_meta', 'final_error_line'],
  },
  {
    name: 'a broken line in the middle',
    text: `${meta('s', lastTime) + ask}{"type":"llm_call","seq":2,"ts":"x\n${call(3)}${answer(4)}`,
    lines: 5,
    verdict: 'truncated',
    signs: ['broken_line'],
  },
  {
    name: 'a line in the middle that is JSON but no object',
    text: `${meta('s', lastTime) + ask}[1]\n${event('llm_call', 2) + call(3) + answer(4)}`,
    lines: 6,
    verdict: 'truncated',
    signs: ['broken_line'],
  },
  {
    name: 'a line in the middle that is a brace alone',
    text: `${meta('s', lastTime) + ask}{\n${event('llm_call', 2) + call(3) + answer(4)}`,
    lines: 6,
    verdict: 'truncated',
    signs: ['broken_line'],
  },
  {
    name: 'lines in the middle that are whole only together, and one that is two',
    text: `${meta('s', lastTime) + ask}{"type":"llm_call","a":[{}\n{}],"seq":2}\n{"a":1},{"a":2}\n${call(3) + answer(4)}`,
    lines: 7,
    verdict: 'truncated',
    signs: ['broken_line'],
  },
  {
    name: 'a last line that is not JSON',
    text: `${meta('s') + ask}{"type":"tool_call","seq":2,\n`,
    lines: 3,
    verdict: 'truncated',
    signs: ['last_line_not_json'],
  },
  {
    name: 'a last line that looks like an event from both ends',
    text: `${meta('s') + ask}{"type":"tool_call","seq":2,"input":{"a":1}\n`,
    lines: 3,
    verdict: 'truncated',
    signs: ['last_line_not_json'],
  },
  {
    name: 'an error line glued to the event it interrupted',
    text: `${meta('s') + ask}{"type":"tool_call","seq":2,"output":"abc{"error":{"code":"InternalError"}}\n`,
    lines: 3,
    verdict: 'truncated',
    signs: ['last_line_not_json'],
  },
  {
    name: 'a last line that is null',
    text: `${meta('s') + ask}null\n`,
    lines: 3,
    verdict: 'truncated',
    signs: ['last_line_not_json'],
  },
  {
    name: 'a last line without its newline',
    text: short.trimEnd(),
    lines: 5,
    verdict: 'truncated',
    signs: ['last_line_without_newline'],
  },
  {
    name: 'a last line cut between CR and LF',
    text: short.replaceAll('\n', '\r\n').slice(0, -1),
    lines: 5,
    verdict: 'truncated',
    signs: ['last_line_without_newline'],
  },
  {
    name: 'a meta line alone, cut',
    text: meta('s').slice(0, -4),
    lines: 1,
    verdict: 'truncated',
    signs: ['first_line_not_session_meta', 'last_line_not_json', 'last_line_without_newline'],
  },
  ...failures(),
]

/** Error lines of many shapes, each as the end of a record that is fine so far. */
function failures(): readonly RecordCase[] {
  const shapes: readonly Fields[] = [
    {
      type: 'error',
      error: { code: 'InternalError', message: 'the storage did not answer' },
      request_id: 'r',
    },
    { type: 'error', message: 'x' },
    { type: 'error' },
    { error: 'x' },
    { error: { code: 'InternalError', message: 'x' } },
    { request_id: 'r', error: { code: 'InternalError', message: 'x' } },
    { code: 'InternalError', message: 'x' },
    { status: 500 },
    {},
    { type: 'stream_error', reason: 'x' },
    { type: 'aborted' },
    { type: 'error', seq: 2, error: 'x' },
    { type: 'error', ts: time(2), error: 'x' },
    { type: 'tool_call', error: 'x' },
    { level: 'error', seq: 2, ts: time(2) },
  ]
  return shapes.map((shape) => ({
    name: `an end of the shape ${JSON.stringify(shape)}`,
    text: meta('s') + ask + line(shape),
    lines: 3,
    verdict: 'truncated',
    signs: ['final_error_line'],
  }))
}
