import { anyType, type ValueType } from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import { suggest } from '../../core/text/index.ts'
import { platformIncidentType } from '../../core/triggers/index.ts'
import type { CompileContext } from './context.ts'

/** Warns of a hook that `opsbook.yaml` does not have, where that is known: a runbook can be written elsewhere. */
export function checkHook({ source, children }: CompileContext, hook: string, path: JsonPath): void {
  const { hooks } = children.family
  if (hooks === undefined || Object.hasOwn(hooks, hook)) return
  const names = Object.keys(hooks)
  const message = `there is no hook "${hook}" in opsbook.yaml`
  const hint = names.length === 0 ? 'it has no hooks: add them under "hooks"' : suggest(hook, names)
  source.warn('UNKNOWN_HOOK', path, message, hint)
}

/** What `event` is: of a hook without a format, or of any hook, whatever the hook makes of the delivery. */
export function eventTypeOf({ children }: CompileContext, hook: unknown): ValueType {
  const { hooks = {} } = children.family
  const isKnown = typeof hook === 'string' && Object.hasOwn(hooks, hook)
  return isKnown && hooks[hook]?.format === 'incident' ? platformIncidentType : anyType
}
