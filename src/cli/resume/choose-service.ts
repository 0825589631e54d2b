import type { RunRecord } from '../../engine/embedded/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { type CommandContext, tell } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { sandboxName } from '../sandbox-name.ts'

/** The service to go on with: the flags, else the one that the run was started with. */
export function chooseService(
  { connection }: RunRecord,
  { connection: flag, sandbox }: ResumeFlags,
  context: CommandContext,
): ServiceChoice {
  if (flag !== undefined || sandbox) {
    return { ...(flag === undefined ? {} : { connection: flag }), ...(sandbox ? { sandbox } : {}) }
  }
  if (connection !== sandboxName) return connection === undefined ? {} : { connection }
  const head = context.errorPaint.yellow('warning:')
  tell(context, `${head} the run had a sandbox of its own; the new one knows nothing of what was made there`)
  return { sandbox: true }
}
