import { checkConfiguration } from '../../../src/cli/configuration/check-configuration.ts'
import type { Hook } from '../../../src/triggers/hooks/hook.ts'

/** A hook without `auth`, as `opsbook.yaml` would have it. */
export async function compileHook(name: string, id: string): Promise<Hook> {
  const { hooks = {} } = await checkConfiguration(`hooks: { ${name}: { id: "${id}" } }`)
  return { name, event: 'incident', ...hooks[name] }
}
