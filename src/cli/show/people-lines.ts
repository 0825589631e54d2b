import { type Identity, identityText } from '../../core/record/identity.ts'
import type {
  ControlRequestRecord,
  DecisionRecord,
  ResumeRecord,
  RunRecord,
} from '../../engine/embedded/index.ts'
import type { ReportOptions } from '../run/report/report-lines.ts'
import { columns } from '../terminal/columns.ts'
import { momentText } from '../terminal/duration-text.ts'
import { printableLine } from '../terminal/printable.ts'

const words: Readonly<Record<ControlRequestRecord['kind'], string>> = {
  cancel: 'cancelled',
  'cancel-now': 'cancelled at once',
  pause: 'paused',
  unpause: 'let go on',
}

const verdicts: Readonly<Record<DecisionRecord['decision'], string>> = {
  succeeded: 'as carried out',
  failed: 'as not carried out',
  retry: 'to be made again',
  cancelled: 'by the end of the run',
}

/** What people did with the run, one line each, in the order of time. */
export function peopleLines(run: RunRecord, { paint, mask, items }: ReportOptions): readonly string[] {
  const deeds: readonly Deed[] = [
    ...run.control_requests.map((controlRequest) => ({
      ...controlRequest,
      what: words[controlRequest.kind] + waitingText(controlRequest),
    })),
    ...run.questions.flatMap(({ path, answer }) =>
      answer
        ? [{ ...answer, what: `${items.label(path)} ${answer.approved ? 'approved' : 'rejected'}` }]
        : [],
    ),
    ...run.decisions.map((one) => ({
      ...one,
      what: `${items.label(one.path)} decided ${verdicts[one.decision]}`,
    })),
    ...run.resumes
      .filter((resume) => !isForCancelling(resume, run))
      .map((resume) => ({ ...resume, what: 'resumed' })),
  ]
  if (deeds.length === 0) return []
  const rows = deeds
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .map(({ what, by, at, comment }) => [
      printableLine(what),
      momentText(Date.parse(at)),
      `by ${printableLine(identityText(by))}${comment === undefined ? '' : `: ${printableLine(comment)}`}`,
    ])
  return ['', paint.bold('People'), ...columns(rows).map((line) => mask.text(`  ${line}`))]
}

/** Whether a run without a process was resumed only so that it ends as cancelled: the cancellation says it all. */
export function isForCancelling(
  { at }: ResumeRecord,
  { control_requests }: Pick<RunRecord, 'control_requests'>,
): boolean {
  return control_requests.some(
    (controlRequest) => controlRequest.kind === 'cancel' && controlRequest.at === at,
  )
}

interface Deed {
  readonly what: string
  readonly by: Identity
  readonly at: string
  readonly comment?: string
}

function waitingText({ taken_at, over_at }: ControlRequestRecord): string {
  return taken_at === undefined && over_at === undefined ? ', not taken up yet' : ''
}
