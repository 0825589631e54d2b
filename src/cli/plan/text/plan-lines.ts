import { commandRulesText, rulesText } from '../../../actions/index.ts'
import type { PlannedCovers } from '../../../core/approval/index.ts'
import type { AnswerPolicy } from '../../../core/people/index.ts'
import type { Calls, StepPreview, ValuePreview } from '../../../core/preview/index.ts'
import { formatDuration } from '../../../core/times/index.ts'
import type { InputDocument, PlanDocument, TotalsDocument } from '../../../documents/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import type { CommandContext } from '../../shared/context.ts'
import { chooseSymbols } from '../../shared/terminal/symbols.ts'
import { type Pairs, pairLines, pairRows, type RowStyle, rowLines } from './rows.ts'
import { runbookLines } from './step-lines.ts'
import { triggerLines } from './trigger-lines.ts'
import { callsWords, countWords, leastTimeWords, noun, riskWords, valueWords } from './words.ts'

/** A preview as text: inputs, triggers, every step, totals, and known problems. */
export function planLines(document: PlanDocument, { io, paint }: CommandContext): readonly string[] {
  const symbols = chooseSymbols(io.env)
  const style: RowStyle = {
    paint,
    width: Math.min(io.stdout.columns ?? 100, 120),
    // Output to a file or a pipe is not cut.
    isCut: io.stdout.columns !== undefined,
    signs: { yes: symbols.pending, no: symbols.skipped, open: symbols.unknown },
    labelWidth: 10,
    arrow: symbols.pending === '.' ? '->' : '→',
    dot: symbols.separator,
  }
  const title = document.title === undefined ? '' : `  ${printableLine(document.title)}`
  return [
    `${paint.bold(document.runbook)}${title}`,
    '',
    ...inputLines(document.inputs, style),
    ...triggerLines(document.triggers, style),
    paint.bold('Steps'),
    '',
    ...runbookLines(document, 2, style),
    ...totalLines(document, style),
    ...notCheckedLines(document, style),
    ...problemLines(document, style),
  ]
}

function inputLines(inputs: readonly InputDocument[], style: RowStyle): readonly string[] {
  if (inputs.length === 0) return []
  const pairs = inputs.map((input) => [input.name, inputWords(input)] as const)
  return [style.paint.bold('Inputs'), ...rowLines(pairRows('', pairs), 2, { ...style, labelWidth: 0 }), '']
}

function inputWords({ state, type, value }: InputDocument): string {
  if (value === undefined) {
    return state === 'missing' ? `not given: required, ${type}` : 'not given: optional'
  }
  const words = valueWords({ state: 'known', value })
  return state === 'default' ? `${words}  (default)` : words
}

function notCheckedLines({ not_checked: list }: PlanDocument, { paint }: RowStyle): readonly string[] {
  if (list.length === 0) return []
  return [
    '',
    paint.yellow('Not checked'),
    ...list.map(
      ({ action, modules }) =>
        `  ${printableLine(action)}  a call counts as one create; --with-actions loads ${modules.map(printableLine).join(', ')}`,
    ),
  ]
}

function problemLines({ problems }: PlanDocument, { paint }: RowStyle): readonly string[] {
  if (problems.length === 0) return []
  return [
    '',
    paint.red('Known to be wrong'),
    ...problems.map(({ path, message }) => `  ${printableLine(path)}  ${printableLine(message)}`),
  ]
}

/** The totals of all steps. */
function totalLines(document: PlanDocument, style: RowStyle): readonly string[] {
  const { totals, concurrency, timeout_ms: timeout, http, commands, outside } = document
  const pairs: Pairs = [
    ['API calls', `${countWords(totals.calls)}, not counting retries`],
    ...openSteps(document).map((step) => ['', `${step.path}: ${callsWords(step)}`] as const),
    ...riskPairs(totals),
    ['shortest time', timeWords(totals)],
    ...(timeout === undefined ? [] : [['time limit', formatDuration(timeout)] as const]),
    ['approvals', totals.approvals.length === 0 ? 'none' : noun(totals.approvals.length, 'question')],
    ...totals.approvals.flatMap(
      ({ path, message, certain, from, unanswerable, timeout, on_timeout, covers }): Pairs => [
        [
          '',
          `${path}${certain ? '' : ' (perhaps)'}${message === undefined ? '' : `: ${questionWords(message)}`}`,
        ],
        ...(from === undefined ? [] : [['', `  ${policyWords(from)}`] as const]),
        ...(unanswerable === undefined ? [] : [['', `  ${unanswerable}`] as const]),
        ...(timeout === undefined
          ? []
          : [['', `  without an answer in ${valueWords(timeout)}: ${lateWords(on_timeout)}`] as const]),
        ...(covers === undefined ? [] : coversWords(covers).map((text) => ['', `  ${text}`] as const)),
      ],
    ),
    ['secrets', totals.secrets.length === 0 ? 'none' : ''],
    ...totals.secrets.map(({ name, steps }) => ['', `${name}, read by ${steps.join(', ')}`] as const),
    ...(http === undefined ? [] : [['HTTP to', httpWords(http)] as const]),
    ...(commands === undefined ? [] : [['commands on', commandRulesText(commands)] as const]),
    ...(outside === undefined ? [] : outsidePairs(outside)),
    ...(concurrency === undefined
      ? []
      : [
          [
            concurrency.limit === 1 ? 'one at a time' : `${concurrency.limit} at a time`,
            `for ${valueWords(concurrency.key)}; ${furtherRun[concurrency.on_conflict]}`,
          ] as const,
        ]),
  ]
  return [style.paint.bold('Totals'), ...pairLines(joined(pairs), style)]
}

function outsidePairs({ steps, notifications }: NonNullable<PlanDocument['outside']>): Pairs {
  const name = 'leaves the sandbox'
  if (steps.length === 0 && notifications === 0) return [[name, 'nothing']]
  const messages = notifications === 0 ? [] : [`notifications to ${noun(notifications, 'target')}`]
  const all = [...steps.map(({ path, action }) => `${path}: ${action}`), ...messages]
  return [
    [name, steps.length === 0 ? 'not without --allow-outside' : 'refused without --allow-outside'],
    ...all.map((text) => ['', printableLine(text)] as const),
  ]
}

function httpWords({ allow, deny_private: denyPrivate }: NonNullable<PlanDocument['http']>): string {
  return rulesText({ denyPrivate, ...(allow === null ? {} : { allow }) })
}

const furtherRun: Readonly<Record<NonNullable<PlanDocument['concurrency']>['on_conflict'], string>> = {
  skip: 'a further start returns the active run',
  reject: 'a further start is refused',
  wait: 'a further run waits in line',
}

/** Who may answer. */
function policyWords({ groups, count = 1, 'not-starter': notStarter }: AnswerPolicy): string {
  const who = groups === undefined ? 'any verified name' : `members of ${groups.join(' or ')}`
  return `answered by ${count === 1 ? '' : `${count} `}${who}${notStarter ? ', not by the one who starts the run' : ''}`
}

/** What the end of the time limit does. */
function lateWords(onTimeout: ValuePreview = { state: 'known', value: 'fail' }): string {
  const known = onTimeout.state === 'known' ? late[String(onTimeout.value)] : undefined
  return known ?? questionWords(onTimeout)
}

const late: Readonly<Record<string, string>> = {
  fail: 'the step fails',
  approve: 'approved',
  reject: 'rejected',
  default: 'its default is the answer',
}

/** What a yes covers, and what it does not. */
function coversWords({ any, steps, open }: PlannedCovers): readonly string[] {
  const isLate = ({ needs }: PlannedCovers['open'][number]): boolean => needs.length > 0
  return [
    ...(steps.length === 0 ? [] : [`a yes covers ${steps.join(', ')}`]),
    ...open.filter(isLate).map(({ step, needs }) => {
      const why = `not known before ${needs.join(', ')}`
      return any ? `covers any: ${step} goes out, ${why}` : `asks again at ${step}: ${why}`
    }),
    ...open.filter((one) => !isLate(one)).map(({ step }) => `asks again at ${step}: covers does not name it`),
  ]
}

/** A question that is not fully known is shown as its template. */
function questionWords(message: ValuePreview): string {
  return message.state === 'open' ? message.source : valueWords(message)
}

/** Joins rows: an empty name continues the row before, and its first text fills a row without text. */
function joined(pairs: Pairs): Pairs {
  return pairs.flatMap(([name, text], index) => {
    if (name !== '' && text === '') return [[name, pairs[index + 1]?.[1] ?? ''] as const]
    return name === '' && pairs[index - 1]?.[1] === '' ? [] : [[name, text] as const]
  })
}

/** The innermost steps whose number of calls is known only when the run executes. */
function openSteps({
  steps,
  branches = [],
  finally: cleanUp,
}: Pick<StepPreview, 'steps' | 'branches' | 'finally'>): readonly StepPreview[] {
  return [...steps, ...branches.flatMap((branch) => branch.steps), ...cleanUp].flatMap((step) => {
    if (step.calls.most !== null) return []
    const inner = openSteps(step)
    return inner.length > 0 ? inner : [step]
  })
}

function riskPairs({ calls_by_risk: byRisk, actions }: TotalsDocument): Pairs {
  return (['create', 'idempotent', 'read'] as const).flatMap((risk) => {
    const calls: Calls = byRisk[risk]
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
    ? `the rate limits cause no waiting${known}`
    : `${least || 'no waiting'}${more}${known}`
}
