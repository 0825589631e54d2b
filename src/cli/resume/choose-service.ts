import type { RunRecord } from '../../engine/embedded/index.ts'
import type { ResumeFlags } from '../commands/resume.ts'
import { type CommandContext, tell } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { isSandboxName, openSandboxName } from '../sandbox-name.ts'

/** The service to go on with: the flags, else the one that the run was started with. */
export function chooseService(
  { connection }: RunRecord,
  { connection: flag, sandbox, allowOutside }: ResumeFlags,
  context: CommandContext,
): ServiceChoice {
  if (flag !== undefined || (!sandbox && !isSandboxName(connection))) {
    const name = flag ?? connection
    return {
      ...(name === undefined ? {} : { connection: name }),
      ...(sandbox ? { sandbox } : {}),
      ...(allowOutside ? { allowOutside } : {}),
    }
  }
  if (!sandbox) {
    const head = context.errorPaint.yellow('warning:')
    tell(
      context,
      `${head} the run had a sandbox of its own; the new one knows nothing of what was made there`,
    )
  }
  return { sandbox: true, allowOutside: allowOutside === true || connection === openSandboxName }
}
