import { checkConfiguration } from '../../../src/project/configuration/schema/index.ts'
import type { Hook } from '../../../src/triggers/webhooks/read-delivery.ts'

/** A hook without `auth`, as `opsbook.yaml` would have it. */
export async function compileHook(name: string, id: string): Promise<Hook> {
  const { hooks = {} } = await checkConfiguration(`hooks: { ${name}: { id: "${id}" } }`)
  return { name, event: 'incident', ...hooks[name] }
}
