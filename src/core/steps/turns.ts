import { type JsonValue, jsonSize } from '../json.ts'
import type { BlockStepPlan, TurnsPlan } from '../plan/plan.ts'
import { outputTooLarge } from '../record/run-memory.ts'
import { innerApprovals } from './approvals.ts'
import { unmetConditionText } from './condition.ts'
import { type Frame, sleepAtWork } from './frame.ts'
import { cancelledResult, type StepResult } from './step-result.ts'
import { renderMap, runTurn } from './turn.ts'

/**
 * Runs a block in turns until its condition is true. A turn begins when the one before has ended, and sees the values
 * that it hands on. A turn that does not succeed ends them all. What `inner` holds is that of the last turn.
 */
export async function runTurns(
  step: BlockStepPlan,
  turns: TurnsPlan,
  frame: Frame,
  path: string,
): Promise<StepResult> {
  const { host, cancellation } = frame
  host.report({ type: 'items_counted', path, total: turns.atMost, is_limit: true })
  let values = renderMap('with', turns.with, frame)
  const items: JsonValue[] = []
  let attempts = 0
  let bytes = 0
  for (let index = 0; ; index++) {
    const turnPath = `${path}[${index}]`
    const isFinal = index + 1 === turns.atMost
    const own = { ...frame, path: turnPath, ...innerApprovals(frame, turnPath) }
    const turn = await runTurn({ step, turns, values, index, isFinal }, own)
    attempts += turn.attempts
    const isWhole = turn.status === 'succeeded'
    if (turns.collect && isWhole) {
      items.push(turn.item ?? null)
      bytes += jsonSize(turn.item ?? null)
      const tooLarge = outputTooLarge(bytes)
      if (tooLarge) throw tooLarge
    }
    values = turn.next ?? values
    const outputs = {
      turns: isWhole ? index + 1 : index,
      ...(turns.collect ? { items } : {}),
      ...(turns.with ? { last: values } : {}),
    }
    const { inner } = turn
    const whole = { attempts, outputs, ...(inner ? { inner } : {}) }
    if (!isWhole) return { ...whole, status: turn.status, ...(turn.error ? { error: turn.error } : {}) }
    if (turn.isDone) return { ...whole, status: 'succeeded' }
    if (isFinal) {
      const message = unmetConditionText(turns.until, turn.read ?? {}, `in ${turns.atMost} turns`)
      return { ...whole, status: 'failed', error: { code: 'TooManyTurns', message, path } }
    }
    await pause(turns, `${path}[${index + 1}]`, frame)
    if (cancellation.reason) return { ...cancelledResult(frame, path, attempts), ...whole }
  }
}

/** Waits for a turn, by its path. Times are those of the record: a resumed run waits no longer than it would have. */
async function pause({ intervalMs }: TurnsPlan, path: string, frame: Frame): Promise<void> {
  const { host } = frame
  if (intervalMs === 0 || host.results?.recall(path) !== undefined) return
  const endedMs = await host.firstReachedAt(path)
  const until = endedMs + intervalMs
  if (until > host.now()) host.report({ type: 'waiting', path, reason: 'poll', until })
  await sleepAtWork(until, { path, reason: 'poll' }, frame, endedMs)
}
