import { inOneLine, showInvisible } from '../../core/text/index.ts'
import { countText, durationText } from '../text/index.ts'
import type { Box, BoxRun, BoxStatus, StatusCounts } from './graph.ts'

/** The parts of a step that have no record of their own. */
export function isPart({ kind }: Box): boolean {
  return kind === 'branch' || kind === 'catch' || kind === 'finally' || kind === 'child'
}

/** The first line of a box: the id of a step, or what its part is. */
export function headText({ kind, label, facts: [first] }: Box): string {
  if (kind === 'catch') return first?.text === 'all' ? 'catch any failure' : `catch ${first?.text}`
  return kind === 'branch' && first?.label === 'otherwise' ? 'otherwise' : label
}

/** The facts of a box that its first line does not give. */
export function factTexts(box: Box): readonly string[] {
  const { kind, facts } = box
  const isInHead = kind === 'catch' || headText(box) === 'otherwise'
  return (isInHead ? facts.slice(1) : facts).map(({ label, text }) => `${label} ${text}`)
}

/** What a box is, under its name: the action of a call, or the kind of a step with steps inside. */
export function kindText({ kind, action, safety, parts, loop }: Box): string {
  switch (kind) {
    case 'call':
      return [action ?? '', changes(safety)].filter((text) => text !== '').join(' · ')
    case 'block':
      return `${loop === 'turns' ? 'turns of ' : ''}${countText(parts.length, 'step')}`
    case 'parallel':
      return `${parts.length} branches at the same time`
    case 'choose':
      return `the first of ${parts.length} branches that applies`
    case 'finally':
      return 'at the end, in any case'
    default:
      return ''
  }
}

function changes(safety: Box['safety']): string {
  return safety === 'idempotent' ? 'writes' : safety === 'create' ? 'creates' : ''
}

const statusWords: Readonly<Record<BoxStatus, string>> = {
  queued: 'queued',
  pending: 'not started',
  running: 'running',
  waiting: 'waits for an answer',
  paused: 'paused',
  succeeded: 'succeeded',
  caught: 'failed, caught',
  warning: 'failed, the run continued',
  tolerated: 'succeeded, some items failed',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
  unknown: 'unknown outcome',
  interrupted: 'interrupted',
}

/** What became of a box, in words: `failed: HttpRefused · 3 calls · 1.2s`. */
export function runText({ status, calls = 0, duration_ms, items, times, error }: BoxRun): string {
  const count = times ? Object.values(times).reduce((sum, one) => sum + (one ?? 0), 0) : 1
  const isMany = count > 1
  const state = isMany && times ? countsText(times) : statusWords[status]
  const idle = status === 'pending' || status === 'skipped'
  return [
    error && state !== '' ? `${state}: ${error.code}` : state,
    items ? itemsText(items) : '',
    calls > (isMany ? count : 1) ? countText(calls, 'call') : '',
    duration_ms === undefined || idle ? '' : `${isMany ? 'longest ' : ''}${durationText(duration_ms)}`,
  ]
    .filter((text) => text !== '')
    .join(' · ')
}

function itemsText({ unit, total, ended, open }: NonNullable<BoxRun['items']>): string {
  const done = Object.values(ended).reduce((sum, one) => sum + (one ?? 0), 0)
  if (unit === 'turns') return countText(done + open, 'turn')
  const { succeeded = 0, ...others } = ended
  const more = [countsText(others), open > 0 ? `${open} running` : ''].filter((text) => text !== '')
  const head = `${succeeded} of ${countText(total, 'item')} succeeded`
  return [head, ...more].join(', ')
}

/** Such as `18 succeeded, 2 failed`. */
function countsText(counts: StatusCounts): string {
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${statusWords[status as BoxStatus]}`)
    .join(', ')
}

/** A text on one line without characters that are invisible, or that XML cannot hold. */
export function lineText(text: string): string {
  const line = inOneLine(text).replaceAll(/ {2,}/g, ' ').trim()
  return showInvisible(line.replaceAll(/[\ufffe\uffff]/g, '\ufffd'), () => '\ufffd')
}
