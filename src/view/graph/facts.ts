import { templateSource } from '../../core/expressions/index.ts'
import type {
  CatchPlan,
  ChoicePlan,
  ForEachPlan,
  ListenPlan,
  RepeatPlan,
  StepPlan,
  Tolerance,
  TurnsPlan,
  UsesPlan,
} from '../../core/plan/index.ts'
import { type Settled, settled } from '../../core/plan/index.ts'
import { formatDuration } from '../../core/times/index.ts'
import { countText } from '../text/index.ts'
import type { Fact } from './graph.ts'

/** What the author of a step wrote about when, how often and how long it runs. */
export function stepFacts(step: StepPlan): readonly Fact[] {
  return [
    ...(step.if === undefined ? [] : [{ label: 'if', text: step.if.source }]),
    ...(step.forEach === undefined ? [] : [forEachFact(step.forEach)]),
    ...(step.kind === 'block' && step.turns ? [turnsFact(step.turns)] : []),
    ...(step.kind === 'parallel' ? parallelFacts(step) : []),
    ...(step.kind === 'uses' ? usesFacts(step.uses) : []),
    ...(step.timeoutMs === undefined ? [] : [{ label: 'at most', text: formatDuration(step.timeoutMs) }]),
    ...(step.continueOnError ? [{ label: 'on failure', text: 'the run continues' }] : []),
  ]
}

/** Which failures an entry of `catch` is for. */
export function catchFacts({ errors, when, keepsFailure }: CatchPlan): readonly Fact[] {
  return [
    { label: 'errors', text: errors === 'all' ? 'all' : errors.join(', ') },
    ...(when === undefined ? [] : [{ label: 'when', text: when.source }]),
    ...(keepsFailure ? [{ label: 'then', text: 'fail' }] : []),
  ]
}

/** When a branch of `choose` runs. */
export function choiceFacts({ when }: ChoicePlan): readonly Fact[] {
  return [when === undefined ? { label: 'otherwise', text: '' } : { label: 'when', text: when.source }]
}

function forEachFact(loop: ForEachPlan): Fact {
  const { as, items, tolerate } = loop
  const atOnce = settled(loop, 'maxParallel')
  const parallel = atOnce === 1 ? [] : [`${settingText(atOnce)} at a time`]
  const tolerates = toleranceWords(tolerate).map((text) => `tolerates ${text}`)
  return { label: 'for each', text: [`${as} in ${listText(items)}`, ...parallel, ...tolerates].join(', ') }
}

/** The expression of a list; of a list that is written out, how long it is. */
function listText(items: ForEachPlan['items']): string {
  const written = items.kind === 'list' ? items.items : items.kind === 'literal' ? items.value : undefined
  if (Array.isArray(written)) return `a list of ${written.length}`
  return items.kind === 'expression' ? items.expression.source : templateSource(items)
}

function turnsFact(turns: TurnsPlan): Fact {
  const { until, atMost } = turns
  const interval = settled(turns, 'intervalMs')
  const pause = interval === 0 ? [] : [`every ${settingText(interval, formatDuration)}`]
  return { label: 'repeat', text: [`until ${until.source}`, ...pause, `at most ${atMost} turns`].join(', ') }
}

function parallelFacts(step: StepPlan & { kind: 'parallel' }): readonly Fact[] {
  const { maxParallel, onBranchError } = step
  const atOnce = maxParallel === undefined ? undefined : settled({ ...step, maxParallel }, 'maxParallel')
  return [
    ...(atOnce === undefined ? [] : [{ label: 'parallel', text: `${settingText(atOnce)} at a time` }]),
    ...(onBranchError === 'cancel-others' ? [{ label: 'on failure', text: 'cancel the others' }] : []),
  ]
}

function usesFacts({ repeat, tolerate, listen }: UsesPlan): readonly Fact[] {
  return [
    ...(listen ? [listenFact(listen)] : []),
    ...(repeat ? [repeatFact(repeat)] : []),
    ...toleranceWords(tolerate).map((text) => ({ label: 'tolerates', text })),
  ]
}

function listenFact({ hook = '', callback, where }: ListenPlan): Fact {
  const source = callback === undefined ? hook : `callback ${callback}`
  return { label: 'event', text: where === undefined ? source : `${source}, where ${where.source}` }
}

function repeatFact(repeat: RepeatPlan): Fact {
  const timeOf = (field: 'intervalMs' | 'maxWaitMs'): string =>
    settingText(settled(repeat, field), formatDuration)
  const times = `every ${timeOf('intervalMs')} for ${timeOf('maxWaitMs')}`
  return { label: 'repeat', text: `${times}, until ${repeat.until.source}` }
}

/** A number, or the expression that decides it, as everywhere in a graph. */
function settingText(setting: Settled, format: (number: number) => string = String): string {
  return typeof setting === 'number' ? format(setting) : setting.source
}

function toleranceWords(tolerate: Tolerance): readonly string[] {
  if (tolerate === 0) return []
  if (tolerate === 'all') return ['all failures']
  return [
    typeof tolerate === 'number'
      ? countText(tolerate, 'failed item')
      : `${tolerate.percent}% of the items failing`,
  ]
}
