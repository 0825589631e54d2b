import type {
  BranchPreview,
  Calls,
  CatchPreview,
  ConditionPreview,
  RunbookPreview,
  StepPreview,
  UsesPreview,
} from '../../../core/preview/index.ts'
import { formatDuration } from '../../../core/times/index.ts'
import { printableLine } from '../../../project/text/index.ts'
import { argumentPairs, commandRow, listenWords, requestWords } from './action-words.ts'
import { type PlanRow, pairRows, type RowStyle, rowLines } from './rows.ts'
import {
  callsWords,
  countWords,
  leastTimeWords,
  noun,
  openWords,
  riskWords,
  settingWords,
  valueWords,
} from './words.ts'

/** A step with everything inside it. */
function stepLines(step: StepPreview, indent: number, style: RowStyle): readonly string[] {
  const rows = step.runs === 'no' ? skippedRows(step, style) : factRows(step, style)
  const inside = step.runs === 'no' ? [] : insideLines(step, indent + 4, style)
  return [headLine(step, indent, style), ...rowLines(rows, indent + 4, style), ...inside, '']
}

function headLine({ id, name, runs }: StepPreview, indent: number, { paint, signs }: RowStyle): string {
  const title = name === undefined ? '' : `  ${printableLine(name)}`
  const head = `${' '.repeat(indent)}${signs[runs]} `
  return runs === 'no' ? paint.dim(`${head}${id}${title}`) : `${head}${paint.bold(id)}${title}`
}

function factRows(step: StepPreview, style: RowStyle): readonly PlanRow[] {
  const { uses, timeout_ms: timeout } = step
  return [
    ...actionRows(step, style),
    ...conditionRows(step, style),
    ...loopRows(step),
    ...turnsRows(step),
    ...(uses === undefined ? [] : usesRows(uses)),
    ...(timeout === undefined ? [] : [{ label: 'time', text: `${formatDuration(timeout)} at most` }]),
    ...(step.continue_on_error ? [{ label: 'failure', text: 'is a warning; the run continues' }] : []),
  ]
}

function actionRows(step: StepPreview, { dot }: RowStyle): readonly PlanRow[] {
  const { uses, kind, steps, branches, max_parallel: most } = step
  const line = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(` ${dot} `)
  const measures = [callsWords(step), leastTimeWords(step.shortest_ms)]
  if (kind === 'block') {
    return [{ label: 'block', text: line([noun(steps.length, 'step'), ...measures]), isWhole: true }]
  }
  if (branches !== undefined) {
    return [
      { label: 'choose', text: line([`${noun(branches.length, 'branch')}`, ...measures]), isWhole: true },
    ]
  }
  if (uses === undefined) {
    const atOnce = most === undefined ? '' : `${settingWords(most)} at a time`
    const text = line([noun(steps.length, 'branch'), atOnce, ...measures])
    return [{ label: 'parallel', text, isWhole: true }]
  }
  if (uses.action === 'core/command') return [commandRow(uses, line, measures)]
  const isSilent = uses.connection === undefined || uses.risk === 'local'
  const over = isSilent ? [] : uses.action === 'core/http' ? requestWords(uses) : [`over ${uses.connection}`]
  const text = line([uses.action, ...over, listenWords(uses), ...measures])
  const color = uses.risk === 'create' ? ({ color: 'yellow' } as const) : {}
  return [{ label: ownLabels[uses.action] ?? shortRisk[uses.risk], text, isWhole: true, ...color }]
}

/** Short words for the narrow column of labels; the totals use the full words. */
const shortRisk: Readonly<Record<UsesPreview['risk'], string>> = { ...riskWords, idempotent: 'writes' }

const ownLabels: Readonly<Record<string, string>> = {
  'core/approve': 'asks',
  'core/ask': 'asks',
  'core/fail': 'fails',
  'core/listen': 'waits',
  'core/run': 'runs',
  'core/wait': 'waits',
}

/** Why a step is skipped: its condition is false, or no branch of it runs. */
function skippedRows(step: StepPreview, style: RowStyle): readonly PlanRow[] {
  const isChosen = step.condition?.state === 'false' || step.branches === undefined
  if (isChosen) return conditionRows(step, style)
  const conditions = step.branches.flatMap(({ when }) => when ?? [])
  const rows = conditions.map(({ source }) => ({ label: 'when', text: source, isWhole: true }))
  const verdict = { label: '', text: `${style.arrow} no branch runs: it is skipped`, isWhole: true }
  return [...conditionRows(step, style), ...rows, verdict]
}

function conditionRows({ condition }: StepPreview, { arrow }: RowStyle): readonly PlanRow[] {
  if (condition === undefined) return []
  return [
    { label: 'if', text: condition.source, isWhole: true },
    { label: '', text: `${arrow} ${verdictOf(condition, 'is skipped')}`, isWhole: true },
  ]
}

function verdictOf({ state, needs }: ConditionPreview, otherwise: string): string {
  const verdicts = {
    true: 'true: it runs',
    false: `false: it ${otherwise}`,
    failed: 'cannot be evaluated with these inputs',
    open: `decided ${openWords(needs).replace(/^needs/, 'when it is given:')}`,
  } as const
  return verdicts[state]
}

function loopRows({ for_each: loop }: StepPreview): readonly PlanRow[] {
  if (loop === undefined) return []
  const atOnce =
    loop.max_parallel === 1 ? 'one after another' : `${settingWords(loop.max_parallel)} at a time`
  const text =
    loop.count === null
      ? `${loop.as}, ${atOnce}; how many: ${valueWords(loop.items)}`
      : `${loop.as} of ${noun(loop.count, 'item')}, ${atOnce}${eachWords(loop.calls_per_item)}`
  const tolerated = loop.tolerate === 0 ? [] : [{ label: '', text: `${loop.tolerate} of them may fail` }]
  return [{ label: 'for each', text, isWhole: true }, ...tolerated]
}

function turnsRows({ repeat }: StepPreview): readonly PlanRow[] {
  if (repeat === undefined) return []
  const { at_most: most, interval_ms: pause, calls_per_turn: calls, until } = repeat
  const turns = most === 1 ? '1 turn' : `1 ${most === 2 ? 'or' : 'to'} ${noun(most, 'turn')}`
  const between = pause === 0 ? '' : `, ${settingWords(pause, formatDuration)} between them`
  return [
    { label: 'repeat', text: `${turns}${between}${eachWords(calls)}`, isWhole: true },
    { label: 'until', text: until, isWhole: true },
  ]
}

function eachWords(calls: Calls): string {
  return calls.most === 0 ? '' : `, ${countWords(calls)} each`
}

function usesRows(uses: UsesPreview): readonly PlanRow[] {
  const { repeat, save_as: saveAs, sensitive } = uses
  return [
    ...pairRows('with', argumentPairs(uses)),
    ...(uses.listen?.where === undefined ? [] : [{ label: 'where', text: uses.listen.where, isWhole: true }]),
    ...(saveAs === undefined ? [] : [{ label: 'file', text: valueWords(saveAs) }]),
    ...(sensitive === undefined ? [] : [{ label: 'masks', text: sensitive.join(', ') }]),
    ...(repeat === undefined
      ? []
      : [
          { label: 'until', text: repeat.until, isWhole: true },
          { label: '', text: pollWords(repeat) },
        ]),
    ...uses.expect.map((source, index) => ({
      label: index === 0 ? 'expects' : '',
      text: source,
      isWhole: true,
    })),
    ...(uses.tolerate === 0 ? [] : [{ label: 'tolerates', text: `${uses.tolerate} of the items failing` }]),
    ...attemptRows(uses),
  ]
}

function pollWords({ interval_ms: pause, max_wait_ms: most }: UsesPreview['repeat'] & object): string {
  return `every ${settingWords(pause, formatDuration)}, for ${settingWords(most, formatDuration)} at most`
}

function attemptRows({ risk, retry, attempt_timeout_ms: attempt }: UsesPreview): readonly PlanRow[] {
  if (risk === 'local') return []
  const codes = retry.errors === undefined ? '' : `, on ${retry.errors.join(', ')}`
  const except = retry.except === undefined ? '' : `, never on ${retry.except.join(', ')}`
  const when = retry.when === undefined ? '' : `, when ${retry.when}`
  const only = risk === 'create' ? ', repeated only if nothing was created' : ''
  const most = attempt === undefined ? '' : `, at most ${formatDuration(attempt)}`
  const each = attempt === undefined ? '' : ' each'
  const text =
    retry.attempts === 1
      ? `one${most}`
      : `up to ${settingWords(retry.attempts)}${most}${each}${codes}${except}${when}${only}`
  return [{ label: 'attempts', text, isWhole: true }]
}

function insideLines(step: StepPreview, indent: number, style: RowStyle): readonly string[] {
  const child = step.uses?.child
  const parts = [
    ...(child === undefined ? [] : ['', ...runbookLines(child, indent, style)]),
    ...(step.steps.length === 0 ? [] : ['', ...listLines(step.steps, indent, style)]),
    ...branchLines(step.branches ?? [], indent, style),
    ...catchLines(step.catch, indent, style),
    ...finallyLines(step.finally, indent, style),
  ]
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

/** A whole runbook. */
export function runbookLines(runbook: RunbookPreview, indent: number, style: RowStyle): readonly string[] {
  return [...listLines(runbook.steps, indent, style), ...finallyLines(runbook.finally, indent, style)]
}

/** Steps one under another. */
function listLines(steps: readonly StepPreview[], indent: number, style: RowStyle): readonly string[] {
  return steps.flatMap((step) => stepLines(step, indent, style))
}

/** The branches of `choose`. The steps of a branch that does not run are left out. */
function branchLines(branches: readonly BranchPreview[], indent: number, style: RowStyle): readonly string[] {
  const { paint, signs } = style
  return branches.flatMap((branch, index) => {
    const { runs, steps } = branch
    const head = `${' '.repeat(indent)}${signs[runs]} `
    const name = `branch ${index}`
    const inside = runs === 'no' ? [] : listLines(steps, indent + 4, style)
    return [
      runs === 'no' ? paint.dim(head + name) : head + paint.bold(name),
      ...rowLines(branchRows(branch, style), indent + 4, style),
      '',
      ...inside,
    ]
  })
}

function branchRows({ when, runs }: BranchPreview, { arrow }: RowStyle): readonly PlanRow[] {
  const rows = when === undefined ? [] : [{ label: 'when', text: when.source, isWhole: true }]
  const isBehind = when === undefined || when.state === 'true'
  const verdict =
    runs === 'no' && when?.state !== 'false'
      ? 'a branch before it runs'
      : isBehind
        ? { yes: 'runs', no: '', open: 'runs if no branch before it does' }[runs]
        : verdictOf(when, 'does not run')
  return [
    ...rows,
    { label: when === undefined ? 'otherwise' : '', text: `${arrow} ${verdict}`, isWhole: true },
  ]
}

/** The steps of `catch`. */
function catchLines(entries: readonly CatchPreview[], indent: number, style: RowStyle): readonly string[] {
  return entries.flatMap(({ errors, when, steps, keeps_failure: keeps }) => [
    `${' '.repeat(indent)}${style.paint.bold(`If it fails with ${errors.join(', ').replace(/^all$/, 'any error')}`)}`,
    ...rowLines(
      [
        ...(when === undefined ? [] : [{ label: 'when', text: when, isWhole: true }]),
        ...(keeps === undefined ? [] : [{ label: 'then', text: 'fails all the same' }]),
      ],
      indent + 2,
      style,
    ),
    ...listLines(steps, indent + 2, style),
  ])
}

/** The steps of `finally`. */
function finallyLines(steps: readonly StepPreview[], indent: number, style: RowStyle): readonly string[] {
  if (steps.length === 0) return []
  return [
    `${' '.repeat(indent)}${style.paint.bold('At the end, in any case')}`,
    ...listLines(steps, indent + 2, style),
  ]
}
