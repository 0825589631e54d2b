import { listFailures } from './failure-groups.ts'
import {
  cellsOf,
  durationsOf,
  hasTolerated,
  type ItemState,
  type LoopCounts,
  perMinute,
  toleratedIn,
} from './loop-counts.ts'
import { timeFacts } from './loop-time.ts'
import {
  type ItemFilter,
  type ItemInFlight,
  type ItemPage,
  type ItemRow,
  type LoopFacts,
  type NodeWait,
  usualItems,
} from './run-view.ts'
import {
  firstWait,
  type NodeStyle,
  nodeWait,
  runningStep,
  shortText,
  shownError,
  timeText,
} from './step-node.ts'
import { nameWithin } from './tree/step-paths.ts'
import { hasEnded, type StepView } from './tree/step-view.ts'

const mostOldest = 50
const mostGroups = 20
/** Of what 50 items wait for, so that all of them fit into a frame. */
const mostWaitCharacters = 80

/** What a screen shows of a loop. */
export function loopFacts(counts: LoopCounts, loop: StepView, style: NodeStyle): LoopFacts {
  const { unit, total, done, failed, inFlight, failures } = counts
  const left = Math.max(0, total - done - inFlight.size)
  const isOver = hasEnded(loop) || !style.isActive
  const { groups, others } = listFailures(failures, mostGroups)
  const { groups: tolerated } = listFailures(counts.tolerated, mostGroups)
  const { waiting, mostly, first } = countWaits(counts, loop, style)
  const rate = isOver ? undefined : perMinute(counts, style.nowMs)
  const durations = durationsOf(counts)
  const time = counts.time && timeFacts(counts.time, isOver ? undefined : style.nowMs)
  const limit = isOver ? undefined : (mostly ?? (left > 0 && inFlight.size > 0 ? 'max-parallel' : undefined))
  const window = limit === 'budget' && first ? fullWindow(first, loop, style) : undefined
  return {
    unit,
    total,
    done,
    failed,
    in_flight: style.isActive ? inFlight.size : 0,
    ...(style.isActive || inFlight.size === 0 ? {} : { interrupted: inFlight.size }),
    waiting,
    left,
    ...(rate === undefined ? {} : { per_minute: rate }),
    ...(rate === undefined || unit === 'turns'
      ? {}
      : { expected_end: expectedEnd(total - done, rate, style.nowMs) }),
    ...(limit === undefined || unit === 'turns' ? {} : { limited_by: limit }),
    ...(window === undefined || unit === 'turns' ? {} : { limit: window }),
    oldest: isOver ? [] : oldestOf(counts, loop, style),
    failures: groups,
    ...(others === 0 ? {} : { other_failures: others }),
    ...(tolerated.length === 0 ? {} : { tolerated }),
    ...(durations ? { durations } : {}),
    ...(time ? { time } : {}),
    cells: cellsOf(counts),
  }
}

/** One page of the items of a loop. */
export function itemPage(
  counts: LoopCounts,
  loop: StepView,
  { after = -1, limit = usualItems, text = '', status }: ItemFilter,
  style: NodeStyle,
): ItemPage {
  const rows: ItemRow[] = []
  const wanted = text.toLowerCase()
  for (let index = after + 1; index < counts.total; index++) {
    const row = itemRow(index, counts.items[index], loop, style)
    if (status && !status.includes(row.status) && !(row.has_tolerated && status.includes('tolerated')))
      continue
    if (!`${row.item?.toLowerCase() ?? ''} ${index}`.includes(wanted)) continue
    if (rows.length === limit) return { items: rows, next: rows.at(-1)?.index ?? after }
    rows.push(row)
  }
  return { items: rows }
}

function itemRow(index: number, state: ItemState | undefined, loop: StepView, style: NodeStyle): ItemRow {
  const path = `${loop.path}[${index}]`
  const item = style.itemName(path)
  if (!state) return { index, path, ...(item === undefined ? {} : { item }), status: 'pending' }
  const { startedAt, endedAt, error } = state
  const inside = toleratedIn(state)
  const { wait, ...where } =
    state.status === 'running' && style.isActive ? inFlightFacts(path, loop, style) : {}
  const running = style.isActive ? (wait ? 'waiting' : 'running') : 'interrupted'
  return {
    index,
    path,
    ...(item === undefined ? {} : { item }),
    status: state.status === 'running' ? running : state.status,
    started_at: timeText(startedAt),
    ...(endedAt === undefined ? {} : { ended_at: timeText(endedAt) }),
    ...(error ? { error: shownError(error, style.mask) } : {}),
    ...(hasTolerated(state) ? { has_tolerated: true } : {}),
    ...(inside.total === 0 ? {} : { failed_items: inside }),
    ...where,
    ...(wait ? { wait } : {}),
  }
}

/** Where an item in flight is, and what it waits for. */
function inFlightFacts(
  path: string,
  loop: StepView,
  style: NodeStyle,
): { readonly at?: string; readonly wait?: NodeWait } {
  const item = loop.inner.get(path)
  if (!item) return {}
  const at = nameWithin(runningStep(item).path, path)
  const wait = firstWait(item, style.nowMs)
  return {
    ...(at === '' ? {} : { at }),
    ...(wait ? { wait: nodeWait(wait[0], wait[1], style.mask) } : {}),
  }
}

function oldestOf({ inFlight }: LoopCounts, loop: StepView, style: NodeStyle): readonly ItemInFlight[] {
  const oldest: ItemInFlight[] = []
  for (const { index, startedAt } of inFlight.values()) {
    if (oldest.length === mostOldest) break
    const path = `${loop.path}[${index}]`
    const item = style.itemName(path)
    const { at, wait } = inFlightFacts(path, loop, style)
    oldest.push({
      index,
      path,
      ...(item === undefined ? {} : { item }),
      since: timeText(startedAt),
      ...(at === undefined ? {} : { at }),
      ...(wait ? { wait: shortened(wait) } : {}),
    })
  }
  return oldest
}

function shortened(wait: NodeWait): NodeWait {
  const { message, after } = wait
  return {
    ...wait,
    ...(message === undefined ? {} : { message: shortText(message, mostWaitCharacters) }),
    ...(after ? { after: { code: after.code, message: shortText(after.message, mostWaitCharacters) } } : {}),
  }
}

/** How many items in flight wait, and the reason of most of them if at least half wait. */
function countWaits(
  { inFlight }: LoopCounts,
  loop: StepView,
  { nowMs, isActive }: NodeStyle,
): { readonly waiting: number; readonly mostly?: NodeWait['reason']; readonly first?: HeldCall } {
  if (!isActive) return { waiting: 0 }
  const reasons = new Map<NodeWait['reason'], number>()
  const calls = new Map<NodeWait['reason'], HeldCall>()
  let waiting = 0
  for (const index of inFlight.keys()) {
    const item = loop.inner.get(`${loop.path}[${index}]`)
    const wait = item && firstWait(item, nowMs)
    if (!wait) continue
    waiting++
    const [path, { reason, until }] = wait
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    if (!calls.has(reason)) calls.set(reason, { item, path, until })
  }
  const [first] = [...reasons].sort(([, one], [, other]) => other - one)
  // More items at the same time would wait beside those that the runbook makes wait.
  const isLimit = first && waiting * 2 >= inFlight.size && first[0] !== 'wait' && first[0] !== 'poll'
  if (!isLimit) return { waiting }
  const call = calls.get(first[0])
  return { waiting, mostly: first[0], ...(call ? { first: call } : {}) }
}

/** A call that waits, and the item that it is in. */
interface HeldCall {
  readonly item: StepView
  readonly path: string
  readonly until: number | undefined
}

const tenMinutesMs = 600_000

/** The window that holds a call: that of the day if it waits for long, else the one that allows fewer calls. */
function fullWindow(
  { item, path, until }: HeldCall,
  loop: StepView,
  { nowMs, windowsOf }: NodeStyle,
): LoopFacts['limit'] {
  // The items of a call have no action of their own.
  const action = actionAt(item, path) ?? loop.action
  const { perSecond, perMinute, perDay } = windowsOf(action) ?? {}
  if (perDay !== undefined && (until ?? 0) - nowMs > tenMinutesMs)
    return { action, calls: perDay, per: 'day' }
  const isMinute = perMinute !== undefined && perMinute <= (perSecond ?? perMinute) * 60
  if (isMinute) return { action, calls: perMinute, per: 'minute' }
  if (perSecond !== undefined) return { action, calls: perSecond, per: 'second' }
  return perDay === undefined ? undefined : { action, calls: perDay, per: 'day' }
}

/** The action of the step around a call. */
function actionAt(step: StepView, path: string): string | undefined {
  for (const inner of step.inner.values())
    if (path === inner.path || path.startsWith(`${inner.path}/`) || path.startsWith(`${inner.path}[`))
      return actionAt(inner, path)
  return step.action === '' || step.action === 'block' ? undefined : step.action
}

/** In whole seconds: more digits would claim more than is known. */
function expectedEnd(open: number, perMinute: number, nowMs: number): string {
  const endMs = nowMs + (open / perMinute) * 60_000
  return timeText(Math.ceil(endMs / 1000) * 1000)
}
