import type { ExportSessionInput } from '../../api/operations/index.ts'
import type { ReceivedCall, Runtime } from '../call.ts'
import { type HandledOutcome, refuseCall, refuseMissing } from '../outcome.ts'
import { findFixture } from '../sessions/fixtures.ts'
import { capLines } from '../sessions/lines.ts'

/** E6: a personal session for its creator alone, a team session for everybody in the account. */
export function exportSession(
  { body, caller, requestId }: ReceivedCall<ExportSessionInput>,
  { closing, settings }: Runtime,
): HandledOutcome {
  const session = findFixture(body.session_id)
  if (session === undefined) return refuseMissing('session_id')
  if (session.accountId !== caller.accountId) return refuseCall('AccessDenied')
  if (session.access === 'personal' && session.createdBy !== caller.userId) {
    return refuseCall('AccessDenied', {
      en: 'session_id: a personal session can be exported by its creator only',
      zh: 'session_id：个人会话仅创建者可导出',
    })
  }
  const includeSubagents = body.include_subagents ?? false
  return {
    kind: 'lines',
    lines: (isNewer) => {
      const lines = session.lines({ includeSubagents, isNewer, closing })
      return capLines(lines, { capMs: settings.exportCapMs, requestId, isNewer })
    },
  }
}
