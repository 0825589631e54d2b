/** Plays a recorded run on this terminal, to look at the live view: `npx tsx test/cli/events/play.ts [NAME] [TIMES FASTER]`. */

import { createLiveView } from '../../../src/cli/run/follow/live-view.ts'
import { processIo } from '../../../src/cli/shared/io.ts'
import { createPaint } from '../../../src/cli/shared/terminal/paint.ts'
import { createMask } from '../../../src/core/mask/mask.ts'
import { createRunTree } from '../../../src/view/run/index.ts'
import { fleetRun } from './fleet.ts'
import {
  askingRun,
  beginning,
  branchedRun,
  busyRun,
  longRun,
  loopRun,
  type Moment,
  nestedRun,
  timed,
} from './recorded.ts'

const runs: Readonly<Record<string, () => readonly Moment[]>> = {
  busy: () => busyRun,
  loop: () => loopRun,
  long: () => longRun(500, 499),
  nested: () => nestedRun,
  branched: () => branchedRun,
  asking: () => askingRun,
  fleet: () => fleetRun({ items: 10_000, parallel: 30 }),
  hundreds: () => fleetRun({ items: 400, parallel: 6, others: 250 }),
}

const [name = 'fleet', faster = '1', stay = '5'] = process.argv.slice(2)
const moments = runs[name]?.()
if (!moments) throw new Error(`there is no run "${name}"; known: ${Object.keys(runs).join(', ')}`)
const io = processIo()
const state = createRunTree()
const view = createLiveView(
  state,
  io,
  await createPaint(io.stderr, io, undefined),
  createMask(),
  'Ctrl-C stops',
)
// Times in events are those of a run that begins now, so that what is waited for comes.
const startedAt = Date.now()
const events = timed(moments, startedAt)
for (const [position, [afterMs, event]] of moments.entries()) {
  const waitMs = afterMs / Number(faster) - (Date.now() - startedAt)
  if (waitMs > 5) await new Promise((resolve) => setTimeout(resolve, waitMs))
  const { at, run_id } = events[position] ?? {}
  const until =
    'until' in event && event.until !== undefined ? { until: event.until - beginning + startedAt } : {}
  state.take({ ...event, ...until, at: at ?? '', run_id: run_id ?? '' })
}
await new Promise((resolve) => setTimeout(resolve, Number(stay) * 1000))
view.end({ isKept: true })
