import { rulesText } from '../../../actions/index.ts'
import { formatDuration } from '../../../core/duration.ts'
import { printableLine } from '../../terminal/printable.ts'
import type { CallsDocument, PlanDocument, StepDocument, TotalsDocument, ValueDocument } from '../document.ts'
import { type Pairs, pairLines, type Style } from './rows.ts'
import { callsWords, countWords, leastTimeWords, noun, riskWords, valueWords } from './words.ts'

/** What the steps come to. */
export function totalLines(document: PlanDocument, style: Style): readonly string[] {
  const { totals, concurrency, timeout_ms: timeout, http, outside } = document
  const pairs: Pairs = [
    ['API calls', `${countWords(totals.calls)}, without repeats after failures`],
    ...openSteps(document).map((step) => ['', `${step.path}: ${callsWords(step)}`] as const),
    ...riskPairs(totals),
    ['shortest time', timeWords(totals)],
    ...(timeout === undefined ? [] : [['time limit', formatDuration(timeout)] as const]),
    ['approvals', totals.approvals.length === 0 ? 'none' : noun(totals.approvals.length, 'question')],
    ...totals.approvals.map(({ path, message, certain }): readonly [string, string] => [
      '',
      `${path}${certain ? '' : ' (perhaps)'}${message === undefined ? '' : `: ${questionWords(message)}`}`,
    ]),
    ['secrets', totals.secrets.length === 0 ? 'none' : ''],
    ...totals.secrets.map(({ name, steps }) => ['', `${name}, read by ${steps.join(', ')}`] as const),
    ...(http === undefined ? [] : [['HTTP to', httpWords(http)] as const]),
    ...(outside === undefined ? [] : outsidePairs(outside)),
    ...(concurrency === undefined
      ? []
      : [
          [
            'one at a time',
            `for ${valueWords(concurrency.key)}; ${secondRun[concurrency.on_conflict]}`,
          ] as const,
        ]),
  ]
  return [style.paint.bold('In all'), ...pairLines(joined(pairs), style)]
}

function outsidePairs({ steps, notifications }: NonNullable<PlanDocument['outside']>): Pairs {
  const name = 'leaves the sandbox'
  if (steps.length === 0 && notifications === 0) return [[name, 'nothing']]
  const messages = notifications === 0 ? [] : [`messages to ${noun(notifications, 'target')} of notify`]
  const all = [...steps.map(({ path, action }) => `${path}: ${action}`), ...messages]
  return [
    [name, steps.length === 0 ? 'not without --allow-outside' : 'refused without --allow-outside'],
    ...all.map((text) => ['', printableLine(text)] as const),
  ]
}

function httpWords({ allow, deny_private: denyPrivate }: NonNullable<PlanDocument['http']>): string {
  return rulesText({ denyPrivate, ...(allow === null ? {} : { allow }) })
}

const secondRun: Readonly<Record<NonNullable<PlanDocument['concurrency']>['on_conflict'], string>> = {
  skip: 'a second start is answered with the running one',
  reject: 'a second start is refused',
  replace: 'a second start cancels the running one',
}

/** A question with gaps says more than that it has gaps. */
function questionWords(message: ValueDocument): string {
  return message.state === 'open' ? message.source : valueWords(message)
}

/** An empty name goes on with the one before; its first text moves up where that one has none. */
function joined(pairs: Pairs): Pairs {
  return pairs.flatMap(([name, text], index) => {
    if (name !== '' && text === '') return [[name, pairs[index + 1]?.[1] ?? ''] as const]
    return name === '' && pairs[index - 1]?.[1] === '' ? [] : [[name, text] as const]
  })
}

/** The steps whose calls only the run can count; of nested ones the innermost. */
function openSteps({
  steps,
  finally: cleanUp,
}: Pick<StepDocument, 'steps' | 'finally'>): readonly StepDocument[] {
  return [...steps, ...cleanUp].flatMap((step) => {
    if (step.calls.most !== null) return []
    const inner = openSteps(step)
    return inner.length > 0 ? inner : [step]
  })
}

function riskPairs({ calls_by_risk: byRisk, actions }: TotalsDocument): Pairs {
  return (['create', 'idempotent', 'read'] as const).flatMap((risk) => {
    const calls: CallsDocument = byRisk[risk]
    if (calls.most === 0) return []
    const names = [
      ...new Set(
        actions
          .filter((action) => action.risk === risk && action.calls.most !== 0)
          .map(({ action }) => printableLine(action)),
      ),
    ]
    return [[riskWords[risk], `${countWords(calls)}: ${names.join(', ')}`] as const]
  })
}

function timeWords(totals: TotalsDocument): string {
  const least = leastTimeWords(totals.shortest_ms)
  const whole = leastTimeWords(totals.shortest_if_every_condition_holds_ms)
  const more = whole !== least && whole !== '' ? `; ${whole} if every condition holds` : ''
  const known = totals.calls.most === null ? ', as far as the calls are known' : ''
  return least === '' && more === ''
    ? `the limits hold nothing up${known}`
    : `${least || 'no waiting'}${more}${known}`
}
