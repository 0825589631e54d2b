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

type More = Pick<RecordCase, 'includeSubagents' | 'subSessions' | 'doubt'>

const record =
  (verdict: RecordCase['verdict'], signs: readonly string[]) =>
  (name: string, lines: number, text: string, more: More = {}): RecordCase => ({
    name,
    text,
    lines,
    verdict,
    signs,
    ...more,
  })
/** A record in which nothing is missing. */
const whole = record('yes', [])
/** A record that can be whole, and has a sign that it is not. */
const unclear = (sign: string, ...rest: Parameters<typeof whole>): RecordCase =>
  record('unknown', [sign])(...rest)
/** A record that is certainly not whole. */
const truncated = (signs: readonly string[], ...rest: Parameters<typeof whole>): RecordCase =>
  record('truncated', signs)(...rest)
/** Asked for with its sub-sessions, of which so many are here. */
const subs = (subSessions = 0): More => ({ includeSubagents: true, subSessions })

/** Lines of newer services: each event names its session, and a call and its answer are two lines. */
const named = (session: string, type: string, fields: Fields = {}): string =>
  line({ type, session_id: session, entry_kind: 'event', ts: time(1), ...fields })
const newerChild =
  meta('a', { parent_session_id: 's' }) +
  named('a', 'user_message') +
  named('a', 'tool_call', { call_id: 'c1', entry_kind: 'request' }) +
  named('a', 'tool_call', { call_id: 'c1', entry_kind: 'answer' }) +
  named('a', 'final_answer')
const newerStart = meta('s') + named('s', 'user_message') + named('s', 'subagent_dispatch')
const exportFailure = line({ type: 'error', content: 'the storage did not answer' })

const newerRecords: readonly RecordCase[] = [
  whole('newer lines, with a sub-session', 9, newerStart + newerChild + named('s', 'final_answer'), subs(1)),
  whole(
    'newer lines that end with an error of the session',
    3,
    newerStart.replace(/.*dispatch.*\n/, '') + named('s', 'error', { content: 'x' }),
  ),
  whole(
    'newer lines with numbers, of two sessions in turns',
    8,
    meta('s') +
      event('user_message', 1, { session_id: 's' }) +
      event('subagent_dispatch', 2, { session_id: 's' }) +
      meta('a', { parent_session_id: 's' }) +
      event('user_message', 1, { session_id: 'a' }) +
      event('agent_text', 3, { session_id: 's' }) +
      event('agent_text', 4, { session_id: 's' }) +
      event('final_answer', 5, { session_id: 's' }),
    subs(1),
  ),
  unclear(
    'seq_gap',
    'a gap in newer lines that the numbers alone would not show',
    6,
    meta('s') +
      event('user_message', 1, { session_id: 's' }) +
      event('subagent_dispatch', 2, { session_id: 's' }) +
      meta('a', { parent_session_id: 's' }) +
      event('agent_text', 1, { session_id: 'a' }) +
      event('agent_text', 3, { session_id: 'a' }),
    { ...subs(1), doubt: 'line 6 has seq 3 where 2 is next in session a' },
  ),
  unclear(
    'error_line_inside',
    'a sub-session that could not be exported',
    5,
    newerStart + exportFailure + named('s', 'final_answer'),
    { ...subs(), doubt: 'line 4 is an error line that is no event (the storage did not answer)' },
  ),
  truncated(['final_error_line'], 'newer lines and the published last line', 4, newerStart + exportFailure),
  truncated(
    ['final_error_line'],
    'the published last line after a sub-session',
    9,
    newerStart + newerChild + exportFailure,
    subs(),
  ),
]

/** Records without signs. Their sessions have an end, so each cut is detected. */
export const wholeRecords: readonly RecordCase[] = [
  whole('a short session', 5, short),
  whole('sub-sessions of sub-sessions', 19, nested, subs(3)),
  whole('a sub-session that stops one number before its parent continues', 10, sameNumbers, subs(1)),
  whole(
    'fields in alphabetical order: the payload comes before type and seq',
    19,
    rewritten(nested, sorted),
    subs(3),
  ),
  whole('spaces after colons and commas', 5, short.replaceAll('","', '", "').replaceAll('":', '": ')),
  whole('lines that end in CRLF', 5, short.replaceAll('\n', '\r\n')),
  whole('a byte order mark', 5, `\uFEFF${short}`),
  whole('empty lines', 5, `\n${short.replaceAll('\n', '\n\n \t\n')}`),
  whole('lines that begin with spaces', 5, short.replaceAll('\n{', '\n \t{')),
  whole('a byte order mark on an empty line', 5, `\uFEFF\n${short}`),
  whole(
    'a last event at the end of the session that is no final answer',
    3,
    meta('s', { ended_at: time(2) }) + ask + call(2),
  ),
]

export const otherRecords: readonly RecordCase[] = [
  whole('a session that goes on', 3, meta('s') + ask + call(2)),
  whole('a session whose end is null', 2, meta('s', { ended_at: null }) + ask),
  whole('a session without events', 1, meta('s')),
  whole(
    'a sub-session that is over with its final answer, where the numbers of its parent follow its own',
    8,
    meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a') +
      ask +
      answer(2) +
      call(3) +
      answer(4),
    subs(1),
  ),
  unclear(
    'end_not_reached',
    'a sub-session that ends without a final answer, where the numbers of its parent follow its own',
    8,
    meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a', { ended_at: time(2) }) +
      ask +
      event('error', 2) +
      call(3) +
      answer(4),
    subs(1),
  ),
  whole(
    'a sub-session whose user continues after the final answer',
    10,
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
    subs(1),
  ),
  whole(
    'two sub-sessions one after the other, told apart by their parent',
    10,
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
    subs(2),
  ),
  whole(
    'dispatches without their sub-sessions, which were not asked for',
    5,
    meta('s', lastTime) + ask + dispatch(2, 'a') + call(3) + answer(4),
  ),
  whole(
    'lines without numbers or times throughout',
    2,
    meta('s') + line({ type: 'final_answer', content: 'x' }),
  ),
  whole(
    'a last event of an unknown kind where nothing has numbers',
    2,
    meta('s') + line({ type: 'summary', content: 'x' }),
  ),
  whole('a last event of an unknown kind', 3, meta('s') + ask + event('plan_update', 2, { reason: 'x' })),
  whole(
    'an error event in the middle',
    5,
    meta('s', lastTime) + ask + event('error', 2, { content: 'retrying' }) + call(3) + answer(4),
  ),
  whole(
    'an unknown kind in the middle',
    5,
    meta('s', lastTime) + ask + event('plan_update', 2) + call(3) + answer(4),
  ),
  unclear('seq_gap', 'a gap', 4, meta('s', lastTime) + ask + call(3) + answer(4)),
  unclear('seq_gap', 'a gap at the beginning', 3, meta('s') + call(2) + answer(3)),
  unclear('seq_gap', 'a number twice', 5, meta('s') + ask + call(2) + call(2) + answer(3)),
  unclear(
    'seq_gap',
    'a gap in a sub-session',
    8,
    meta('s') +
      ask +
      dispatch(2, 'a') +
      meta('a', { parent_session_id: 's' }) +
      ask +
      call(3) +
      answer(4) +
      answer(3),
    subs(1),
  ),
  unclear(
    'seq_gap',
    'a gap in a sub-session whose numbers belong to no other session',
    9,
    meta('s', { ended_at: time(4) }) +
      ask +
      dispatch(2, 'a') +
      meta('a') +
      ask +
      call(7) +
      answer(8) +
      call(3) +
      answer(4),
    { ...subs(1), doubt: 'line 6 has seq 7 where 2 is next in session a' },
  ),
  unclear(
    'seq_gap',
    'an event that would continue a sub-session which an event of its parent has ended',
    10,
    meta('s') +
      ask +
      dispatch(2, 'a') +
      meta('a', { parent_session_id: 's' }) +
      [1, 2, 3, 4].map(call).join('') +
      call(3) +
      call(5),
    { ...subs(1), doubt: 'line 10 has seq 5 where 4 is next in session s' },
  ),
  unclear(
    'seq_gap',
    'a gap in the parent behind a sub-session',
    8,
    meta('s') + ask + dispatch(2, 'a') + child('a', 's') + answer(9),
    subs(1),
  ),
  unclear(
    'last_line_unclear',
    'an error event at the end',
    3,
    meta('s') + ask + event('error', 2, { content: 'the model refused' }),
  ),
  unclear(
    'last_line_unclear',
    'an event with an error at the end',
    3,
    meta('s') + ask + event('tool_call', 2, { error: { code: 'timeout' } }),
  ),
  whole('a last event without a time', 3, meta('s') + ask + line({ type: 'agent_text', seq: 2 })),
  unclear(
    'last_line_unclear',
    'an error that names its session and is no entry of it',
    3,
    meta('s') + ask + line({ type: 'error', session_id: 's', content: 'x' }),
  ),
  unclear(
    'last_line_unclear',
    'an error with a number and without a time at the end',
    3,
    meta('s') + ask + line({ type: 'error', seq: 2, error: 'x' }),
  ),
  unclear(
    'end_not_reached',
    'an end that was promised and is not here',
    3,
    meta('s', lastTime) + ask + call(2),
  ),
  unclear(
    'end_not_reached',
    'an end that is announced in an unknown way',
    3,
    meta('s', { ended_at: 'yesterday' }) + ask + call(2),
  ),
  unclear(
    'end_not_reached',
    'an end of the parent that was promised, behind a whole sub-session',
    7,
    meta('s', lastTime) + ask + dispatch(2, 'a') + child('a', 's'),
    subs(1),
  ),
  unclear(
    'end_not_reached',
    'an end of the sub-session that was promised',
    5,
    meta('s') + ask + dispatch(2, 'a') + meta('a', { ended_at: time(9) }) + ask,
    subs(1),
  ),
  unclear(
    'error_line_inside',
    'in the place of a sub-session, an error that names it',
    6,
    meta('s', lastTime) +
      ask +
      dispatch(2, 'a') +
      line({ type: 'error', session_id: 'a', content: 'a cannot be exported' }) +
      call(3) +
      answer(4),
    subs(),
  ),
  unclear(
    'sub_session_missing',
    'a dispatch whose sub-session is not here',
    5,
    meta('s', lastTime) + ask + dispatch(2, 'a') + call(3) + answer(4),
    subs(),
  ),
  unclear(
    'sub_session_missing',
    'a dispatch that is written with an escape',
    5,
    meta('s', lastTime) +
      ask +
      dispatch(2, 'a').replace('subagent_dispatch', 'subagent\\u005fdispatch') +
      call(3) +
      answer(4),
    subs(),
  ),
  unclear(
    'sub_session_missing',
    'a dispatch at the end whose sub-session is not here',
    3,
    meta('s') + ask + dispatch(2, 'a'),
    subs(),
  ),
  unclear(
    'error_line_inside',
    'an error line that is no event in the middle',
    6,
    meta('s', lastTime) +
      ask +
      line({ error: { code: 'InternalError', message: 'x' } }) +
      call(2) +
      call(3) +
      answer(4),
  ),
  truncated(['empty_body'], 'nothing', 0, ''),
  truncated(['empty_body'], 'empty lines alone', 0, '\r\n\n'),
  truncated(['first_line_not_session_meta'], 'no meta line', 2, ask + answer(2)),
  truncated(
    ['final_error_line'],
    'a last line without a number where others have one',
    3,
    meta('s') + ask + line({ type: 'final_answer', content: 'x' }),
  ),
  truncated(
    ['first_line_not_session_meta'],
    'a first line that has the name of the meta line as a field',
    3,
    line({ session_meta: { session_id: 's' } }) + ask + answer(2),
  ),
  truncated(
    ['first_line_not_session_meta', 'broken_line'],
    'a page of a gateway',
    3,
    '<html>\n<body>bad gateway</body>\n</html>\n',
  ),
  truncated(
    ['first_line_not_session_meta', 'final_error_line'],
    'an envelope with an error',
    1,
    line({ request_id: 'r', error: { code: 'InternalError', message: 'x' } }),
  ),
  truncated(
    ['broken_line'],
    'a broken line in the middle',
    5,
    `${meta('s', lastTime) + ask}{"type":"llm_call","seq":2,"ts":"x\n${call(3)}${answer(4)}`,
  ),
  truncated(
    ['broken_line'],
    'a line in the middle that is JSON but no object',
    6,
    `${meta('s', lastTime) + ask}[1]\n${event('llm_call', 2) + call(3) + answer(4)}`,
  ),
  truncated(
    ['broken_line'],
    'a line in the middle that is a brace alone',
    6,
    `${meta('s', lastTime) + ask}{\n${event('llm_call', 2) + call(3) + answer(4)}`,
  ),
  truncated(
    ['broken_line'],
    'lines in the middle that are whole only together, and one that is two',
    7,
    `${meta('s', lastTime) + ask}{"type":"llm_call","a":[{}\n{}],"seq":2}\n{"a":1},{"a":2}\n${call(3) + answer(4)}`,
  ),
  truncated(
    ['broken_line'],
    'a last line that is not JSON',
    3,
    `${meta('s') + ask}{"type":"tool_call","seq":2,\n`,
  ),
  truncated(
    ['broken_line'],
    'a last line that looks like an event from both ends',
    3,
    `${meta('s') + ask}{"type":"tool_call","seq":2,"input":{"a":1}\n`,
  ),
  truncated(
    ['broken_line'],
    'an error line glued to the event it interrupted',
    3,
    `${meta('s') + ask}{"type":"tool_call","seq":2,"output":"abc{"error":{"code":"InternalError"}}\n`,
  ),
  truncated(['broken_line'], 'a last line that is null', 3, `${meta('s') + ask}null\n`),
  truncated(['last_line_without_newline'], 'a last line without its newline', 5, short.trimEnd()),
  truncated(
    ['last_line_without_newline'],
    'a last line cut between CR and LF',
    5,
    short.replaceAll('\n', '\r\n').slice(0, -1),
  ),
  truncated(
    ['first_line_not_session_meta', 'broken_line', 'last_line_without_newline'],
    'a meta line alone, cut',
    1,
    meta('s').slice(0, -4),
  ),
  ...failures(),
  ...newerRecords,
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
    { type: 'error', content: 'x' },
    { type: 'error' },
    { error: 'x' },
    { error: { code: 'InternalError', message: 'x' } },
    { request_id: 'r', error: { code: 'InternalError', message: 'x' } },
    { code: 'InternalError', message: 'x' },
    { status: 500 },
    {},
    { type: 'stream_error', reason: 'x' },
    { type: 'aborted' },
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
