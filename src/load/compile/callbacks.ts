import { type JsonPath, valueAt } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { Source } from '../source.ts'
import { isCallbackName } from './check-id.ts'
import type { CompileContext } from './context.ts'
import { referencesInSteps } from './mark-reads.ts'
import type { StepIndex } from './step-index.ts'

/** Finds the callbacks before anything is compiled: steps before the one that waits read the address. */
export function findCallbacks({ value }: Source, index: StepIndex): CompileContext['callbacks'] {
  const found = new Map<string, JsonPath>()
  for (const { path } of index.values()) {
    if (valueAt(value, [...path, 'uses']) !== 'core/listen') continue
    const at = [...path, 'with', 'callback']
    const name = valueAt(value, at)
    if (isCallbackName(name) && !found.has(name)) found.set(name, at)
  }
  return found
}

/** Warns of callbacks whose address no system can know. */
export function checkCallbacks(
  { source, callbacks, children }: CompileContext,
  plan: Omit<Plan, 'hash'>,
): void {
  if (callbacks.size === 0) return
  const read = new Set(
    referencesInSteps(plan).flatMap(([root, field = 'callbacks', name = '*']) =>
      root === 'run' && field === 'callbacks' ? [String(name)] : [],
    ),
  )
  for (const [name, path] of callbacks) {
    if (!read.has(name) && !read.has('*')) {
      const message = `no expression reads run.callbacks.${name}, so no system knows the address of the callback`
      const hint = `give it to the system that calls back: "\${{ run.callbacks.${name} }}"`
      source.warn('NO_EFFECT', path, message, hint)
    }
    if (children.family.hasPublicUrl !== false) continue
    const message = 'a callback needs an address, and opsbook.yaml has no public-url under "serve"'
    const hint = 'such as serve: { public-url: "https://ops.example.com" }'
    source.warn('NO_PUBLIC_URL', path, message, hint)
  }
}
