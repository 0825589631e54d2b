import type { NoticePlace } from './compose-notices.ts'
import type { NoticeDocument } from './notice-document.ts'

const heads: Readonly<Record<NoticeDocument['kind'], string>> = {
  approval_waiting: 'waits for an answer',
  run_failed: 'has failed',
  outcome_unknown: 'needs a decision: nobody knows whether a write was carried out',
  start_limit_reached: 'has had more events than it may start runs',
  schedule_missed: 'was not started in time',
}

/** A message as a chat shows it. Nothing in it is taken for a mention or a link. */
export function slackText(document: NoticeDocument, { text: place }: Pick<NoticePlace, 'text'>): string {
  const { kind, runbook, title, run_id, step, message, sandbox, error_code, request_id, since, until } =
    document
  const where = step === undefined ? '' : ` at ${step}`
  const code = error_code === undefined ? '' : `${error_code}: `
  const time = `since ${since}${until === undefined ? '' : `, until ${until}`}`
  return [
    `${sandbox ? '[sandbox] ' : ''}*${escaped(runbook)}* ${heads[kind]}${escaped(where)}`,
    ...(title === undefined ? [] : [`_${escaped(title)}_`]),
    ...`${code}${message}`.split('\n').map((line) => `> ${escaped(line)}`),
    `${run_id === undefined ? '' : `${escaped(run_id)}, `}${time}${request_id === undefined ? '' : `, request ${escaped(request_id)}`}`,
    `${escaped(place)}:`,
    ...document.commands.map((command) => `\`${escaped(command)}\``),
  ].join('\n')
}

/** As https://docs.slack.dev/messaging/formatting-message-text asks for: these three, and nothing else. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
