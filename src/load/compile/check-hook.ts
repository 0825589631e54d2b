import type { JsonPath } from '../../core/json.ts'
import { suggest } from '../../core/text/index.ts'
import type { CompileContext } from './context.ts'

/** Warns of a hook that `opsbook.yaml` does not have, where that is known: a runbook can be written elsewhere. */
export function checkHook({ source, children }: CompileContext, hook: string, path: JsonPath): void {
  const { hooks } = children.family
  if (hooks === undefined || hooks.includes(hook)) return
  const message = `there is no hook "${hook}" in opsbook.yaml`
  const hint = hooks.length === 0 ? 'it has no hooks: add them under "hooks"' : suggest(hook, hooks)
  source.findings.warn('UNKNOWN_HOOK', path, source.rangeOf(path), message, hint)
}
