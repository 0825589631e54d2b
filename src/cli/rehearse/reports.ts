import type { Paint } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { type RunRehearsal, stepLines } from '../../testing/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { countText, momentText } from '../shared/terminal/quantity-text.ts'
import { annotation } from '../shared/workflow-annotation.ts'
import { groupRuns, type RunGroup, runCountOf } from './group-runs.ts'
import type { Rehearsal } from './rehearsal.ts'
import type { EventsRehearsal } from './rehearse-events.ts'

export type RehearseFormat = 'text' | 'json' | 'github'

export function printRehearsal(rehearsal: Rehearsal, format: RehearseFormat, context: CommandContext): void {
  if (format === 'json') answerJson(context, document(rehearsal))
  else if (format === 'github') answer(context, annotations(rehearsal))
  else answer(context, textLines(rehearsal, context))
}

/** For scripts. */
function document({ runbook, sinceMs, runs, notEnded, events }: Rehearsal): object {
  return {
    runbook: runbook.plan.name,
    file: runbook.file,
    plan_hash: runbook.plan.hash,
    ...(sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() }),
    summary: { runs: runs.length, ...countResults(runs), not_ended: notEnded },
    runs,
    ...(events ? { events } : {}),
  }
}

function countResults(runs: readonly RunRehearsal[]): Readonly<Record<RunRehearsal['result'], number>> {
  const count = (result: RunRehearsal['result']): number => runs.filter((run) => run.result === result).length
  return {
    same: count('same'),
    different: count('different'),
    open: count('open'),
    left_out: count('left_out'),
  }
}

/** The result in one sentence. */
function summaryText({ runbook, sinceMs, runs }: Rehearsal): string {
  const { same, different, open, left_out: leftOut } = countResults(runs)
  const span = sinceMs === undefined ? '' : ` since ${momentText(sinceMs)}`
  const all = runs.length
  if (all === 0) return `${runbook.plan.name}: no run${span} has ended`
  // Of one run, or where all share a result, no number is repeated.
  const part = (count: number, one: string, many: string): readonly string[] => {
    if (count === 0) return []
    const text = count === 1 ? one : many
    return [all === 1 ? text : `${count === all ? 'all' : count} ${text}`]
  }
  const parts = [
    ...part(same, 'takes the same way', 'take the same way'),
    ...part(different, 'would be different', 'would be different'),
    ...part(open, 'cannot be known', 'cannot be known'),
    ...part(leftOut, 'was left out', 'were left out'),
  ]
  return `${runbook.plan.name}: ${headText(all, span)} ${parts.join(', ')}`
}

function headText(all: number, span: string): string {
  if (all > 1) return `of ${all} runs${span},`
  return span === '' ? 'the run' : `the only run${span}`
}

/** The most runs that a group lists. */
const mostNamed = 5

function textLines(rehearsal: Rehearsal, { paint }: CommandContext): readonly string[] {
  const groups = groupRuns(rehearsal.runs)
  const marks: Partial<Record<RunGroup['kind'], string>> = {
    unknown: paint.yellow('?'),
    left_out: paint.dim('–'),
  }
  const lines = groups.flatMap((group) => {
    const named = group.runs.slice(0, mostNamed)
    const more = group.runs.length - named.length
    return [
      `  ${marks[group.kind] ?? paint.red('✖')} ${groupText(group)}`,
      ...named.map(
        ({ run_id, detail }) =>
          `      ${run_id}${detail === undefined ? '' : `  ${paint.dim(printableLine(detail))}`}`,
      ),
      ...(more > 0 ? [`      ${paint.dim(`and ${more} more`)}`] : []),
    ]
  })
  const notEnded =
    rehearsal.notEnded > 0
      ? [paint.dim(`${rehearsal.notEnded} more ${rehearsal.notEnded === 1 ? 'has' : 'have'} not ended`)]
      : []
  const body = lines.length > 0 ? ['', ...lines] : []
  return [summaryText(rehearsal), ...body, ...notEnded, ...eventLines(rehearsal, paint)]
}

function eventLines({ events }: Rehearsal, paint: Paint): readonly string[] {
  if (!events) return []
  const shown = [
    ...events.more.map(({ hook, event_id: id }) => ['+', `${hook}/${id}`, ''] as const),
    ...events.fewer.map(({ hook, event_id: id, message = '' }) => ['-', `${hook}/${id}`, message] as const),
  ]
  const named = shown.slice(0, mostNamed)
  return [
    '',
    eventsText(events),
    ...named.map(([sign, id, why]) =>
      `      ${sign} ${printableLine(id)}  ${paint.dim(printableLine(why))}`.trimEnd(),
    ),
    ...(shown.length > named.length ? [`      ${paint.dim(`and ${shown.length - named.length} more`)}`] : []),
  ]
}

/** `of 1,912 events 3 more would have started a run`. */
function eventsText({ events, unknown, more, fewer, held_back: held }: EventsRehearsal): string {
  const bursts = held.bursts === 1 ? '1 burst' : `${held.bursts} bursts`
  const parts = [
    ...(more.length > 0 ? [`${more.length} more would have started a run`] : []),
    ...(fewer.length > 0 ? [`${fewer.length} would not have started a run`] : []),
    ...(held.events > 0 ? [`${held.events} in ${bursts} would have been held back`] : []),
    ...(unknown > 0 ? [`${unknown} were too large to be kept, and cannot be known`] : []),
  ]
  const same = ['all would have started the same runs']
  return `of ${countText(events, 'event')}, ${(parts.length > 0 ? parts : same).join(', ')}`
}

/** One annotation for each group of runs, at the line of its step. */
function annotations(rehearsal: Rehearsal): readonly string[] {
  const { file, plan, text } = rehearsal.runbook
  const lines = stepLines(plan, text)
  const all = groupRuns(rehearsal.runs).map((group) => {
    const shown = group.runs
      .slice(0, mostNamed)
      .map(({ run_id, detail }) => (detail === undefined ? run_id : `${run_id}: ${detail}`))
    const more = group.runs.length > mostNamed ? [`and ${group.runs.length - mostNamed} more`] : []
    return annotation({
      level: group.kind === 'left_out' ? 'notice' : 'warning',
      file,
      line: group.step === undefined ? undefined : lines.get(group.step),
      title: groupText(group),
      message: [...shown, ...more].join('\n'),
    })
  })
  const { events } = rehearsal
  return [...all, summaryText(rehearsal), ...(events ? [eventsText(events)] : [])]
}

/** `4 would skip disable`. */
function groupText(group: RunGroup): string {
  const count = runCountOf(group)
  switch (group.kind) {
    case 'unknown':
      return `${count} cannot be known from there on: ${printableLine(group.what)}`
    case 'left_out':
      return `${count} left out: ${printableLine(group.what)}`
    default:
      return `${count} ${printableLine(group.what)}`
  }
}
