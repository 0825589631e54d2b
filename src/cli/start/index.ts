/** `opsbook start`: starts a run that `serve` or workers execute. */
import { advanceText } from '../../acts/index.ts'
import { type RequestedRun, requestStart } from '../../acts/start/index.ts'
import { type JsonSchema, withoutUndefined } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { type EngineFlags, refuseEmpty } from '../../project/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'

/** The flags of `start`, as the parser hands them over. */
export interface StartFlags extends InputSources, EngineFlags, OutputFlags {
  readonly connection?: string
  readonly id?: string
  readonly yes?: boolean
}

/** Starts a run and prints its id. Nothing is started before all checks have passed. */
export async function startOnly(
  context: CommandContext,
  runbook: string,
  options: StartFlags,
): Promise<void> {
  const { id, connection, yes } = options
  if (id !== undefined) refuseEmpty(id, '--id')
  const act = {
    runbook,
    inputs: (schema: JsonSchema | undefined) => readInputs(options, schema, context.io),
    ...withoutUndefined({ key: id, connection }),
    ...(yes ? { yes, onChecked: (plan: Plan) => tell(context, advanceText(plan)) } : {}),
  }
  printStarted(context, options, await requestStart(act, context, options))
}

function printStarted(
  context: CommandContext,
  options: StartFlags,
  { runId, isJoined, missing, said }: RequestedRun,
): void {
  if (options.output === 'json') answerJson(context, { run_id: runId, is_joined: isJoined })
  else answer(context, runId)
  const head = context.errorPaint.yellow('warning:')
  tell(context, [
    ...(isJoined && said.length === 0 ? ['joined the run that was started with this key'] : said),
    ...(missing === undefined
      ? []
      : [`${head} ${missing}; "opsbook worker" starts one, and the run waits for it`]),
    `  ${`opsbook watch ${runId} ${locationFlags(options)}`.trim()}`,
  ])
}
