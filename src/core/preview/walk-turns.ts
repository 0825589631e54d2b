import {
  evaluateTemplate,
  type KnownScope,
  known,
  knownMap,
  templateEntriesOf,
  unknown,
} from '../expressions/known.ts'
import type { TurnsPlan } from '../plan/plan.ts'
import { settled } from '../plan/settings.ts'
import { type Calls, maybeCalls, timesCalls } from './step-preview.ts'
import { callsIn, mapCalls, type WalkContext, type WalkedBody } from './walk-context.ts'

/** A block that is repeated: shown once, for any turn. The first turn is certain, and checked with its values. */
export function walkTurns(
  turns: TurnsPlan,
  scope: KnownScope,
  context: WalkContext,
  walkBlock: (scope: KnownScope, context: WalkContext) => WalkedBody,
): WalkedBody {
  const inLoop = { ...context, isMeasured: false }
  const withoutCalls = { ...inLoop, calls: undefined }
  const body = walkBlock({ ...scope, turn: unknown }, { ...withoutCalls, isCertain: false })
  const first = walkBlock(
    { ...scope, turn: firstValues(turns, scope) },
    { ...withoutCalls, path: `${context.path}[0]` },
  )
  if (context.calls)
    walkBlock(
      { ...scope, turn: unknown },
      { ...inLoop, isCertain: false, path: anyTurn(context.path), calls: context.calls.inside() },
    )
  const others = (calls: Calls): Calls => maybeCalls(timesCalls(calls, turns.atMost - 1))
  return {
    preview: {
      ...body.preview,
      repeat: {
        at_most: turns.atMost,
        until: turns.until.source,
        interval_ms: settled(turns, 'intervalMs'),
        calls_per_turn: callsIn(body.usage),
      },
    },
    task: first.task,
    usage: [...first.usage, ...mapCalls(body.usage, others)],
    inner: Object.fromEntries(Object.keys(body.inner).map((id) => [id, unknown])),
  }
}

/** The path of the turns of a block, whichever it is: a call is known where it is the same in each of them. */
export function anyTurn(path: string): string {
  return `${path}[*]`
}

function firstValues({ with: given }: TurnsPlan, scope: KnownScope): KnownScope[string] {
  const values = given === undefined ? [] : templateEntriesOf(given)
  if (given !== undefined && given.kind !== 'object' && given.kind !== 'literal') return unknown
  const fields = values.map(([name, template]) => {
    const evaluated = evaluateTemplate(template, scope)
    return [name, evaluated.state === 'known' ? known(evaluated.value) : unknown] as const
  })
  return knownMap({ ...Object.fromEntries(fields), index: known(0) })
}
