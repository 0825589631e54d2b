import type { ActionDescription } from '../../core/action.ts'
import { operationFacts } from './operation-facts.ts'

/** An action as the document that `--output json` prints. */
export function actionJson(action: ActionDescription): unknown {
  const facts = operationFacts(action.name)
  const { name, summary, safety, safetyBy, input, output, batch, errors = [], savesFile } = action
  return {
    name,
    summary,
    safety,
    ...(safetyBy === undefined
      ? {}
      : {
          safety_by: {
            argument: safetyBy.argument,
            by: safetyBy.by,
            values: safetyBy.values,
            left_out: safetyBy.leftOut,
          },
        }),
    local: action.isLocal === true,
    ...(facts === undefined
      ? {}
      : {
          permission: facts.permission,
          limits: {
            per: facts.limit.per,
            per_second: facts.limit.perSecond,
            per_minute: facts.limit.perMinute,
            ...(facts.limit.perDay === undefined ? {} : { per_day: facts.limit.perDay }),
          },
        }),
    ...(batch === undefined ? {} : { batch: { argument: batch.argument, size: batch.size } }),
    saves_file: savesFile === 'always',
    attempt_timeout_ms: action.defaultTimeoutMs,
    ...(action.minimumTimeoutMs === undefined ? {} : { minimum_attempt_timeout_ms: action.minimumTimeoutMs }),
    sensitive_input: action.sensitiveInput ?? [],
    secret_names: action.secretNames ?? [],
    sensitive_output: action.sensitiveOutput ?? [],
    errors,
    input,
    output,
  }
}
