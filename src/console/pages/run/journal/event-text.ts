import type { WaitReason } from '../../../../core/events.ts'
import type { JournalEvent } from '../../../../documents/index.ts'
import { countText } from '../../../../view/text/index.ts'
import type { Tone } from '../../parts/status.tsx'
import { waitWords } from '../../parts/waits.tsx'

/** An event in words. */
export interface EventText {
  readonly text: string
  readonly tone: Tone | ''
  /** Of a failure. */
  readonly code?: string
}

/** Words for an event of the journal. */
export function journalEventText(event: JournalEvent): EventText {
  const { type, error, status, action, attempt, message, by, comment } = event
  const who = by === undefined ? '' : ` by ${by.name}${comment === undefined ? '' : `: ${comment}`}`
  const plain = (text: string, tone: EventText['tone'] = ''): EventText => ({ text, tone })
  switch (type) {
    case 'run_started':
      return plain('run started')
    case 'run_finished':
      return failed(`run ${status}`, event)
    case 'run_cancelling':
      return plain(`run cancelled${who}`, 'held')
    case 'run_paused':
      return plain(`run paused${who}`, 'held')
    case 'run_unpaused':
      return plain(`run unpaused${who}`)
    case 'step_started':
      return plain(`started ${action ?? ''}`)
    case 'items_counted':
      return plain(`${event.total} ${event.is_limit ? 'turns at most' : 'items'}`)
    case 'groups_counted':
      return plain(`${countText(event.items ?? 0, 'item')} in ${countText(event.groups ?? 0, 'group')}`)
    case 'item_started':
      return plain('item started')
    case 'item_finished':
      return plain(`item ${status}`, status === 'failed' ? 'bad' : '')
    case 'attempt_started':
      return plain(`call ${attempt} of ${action}`)
    case 'attempt_succeeded':
      return plain(`call ${attempt} answered${event.from_journal ? ', from the journal' : ''}`, 'good')
    case 'attempt_failed':
      return {
        text: `${error?.message ?? ''}${event.is_repeated ? ', will be retried' : ''}`,
        tone: '',
        ...(error === undefined ? {} : { code: error.code }),
      }
    case 'logged':
      return plain(message ?? '')
    case 'waiting':
      return plain(
        `${waitWords[event.reason as WaitReason]}${message === undefined ? '' : `: ${message}`}`,
        'held',
      )
    case 'answered':
      return plain(`${event.approved === false ? 'no' : 'answered'}${who}`)
    case 'step_finished':
      return failed(`${status}`, event)
    default:
      return plain(type.replaceAll('_', ' '))
  }
}

function failed(word: string, { status, error }: JournalEvent): EventText {
  const tone =
    status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : status === 'skipped' ? 'idle' : 'held'
  return { text: error === undefined ? word : `${word}: ${error.code} ${error.message}`, tone }
}
