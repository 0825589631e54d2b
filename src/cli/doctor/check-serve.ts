import { callbackNames } from '../../core/listened-hooks.ts'
import { isServed } from '../../engine/embedded/index.ts'
import { missingHooks, readHooks } from '../serve/read-hooks.ts'
import { publicUrl, readCallbackKey } from '../shared/configuration/callbacks.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import { chooseEngine } from '../shared/engine/choose-engine.ts'
import type { Io } from '../shared/io.ts'
import { peopleOf } from '../shared/people-of.ts'
import { policyWarnings } from '../shared/policy-warnings.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { type Check, type DoctorOptions, failedCheck } from './check.ts'

import type { Needs } from './read-needs.ts'

/** Checks the hooks and their secrets, and whether a `serve` process receives their events. */
export async function checkServe(
  { dataDir, engine }: DoctorOptions,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  const name = 'hooks'
  const count = Object.keys(configuration.document.hooks ?? {}).length
  const folder = chooseDataDir(dataDir, configuration, io)
  const isEmbedded = chooseEngine(engine, configuration, io) === 'embedded'
  const serves = isEmbedded && isServed(folder)
  if (count === 0)
    return serves
      ? [{ name: 'serve', status: 'ok', message: 'running; opsbook.yaml of this folder has no hooks' }]
      : []
  const checks: Check[] = []
  try {
    const { hooks, warnings } = await readHooks(configuration, io)
    const open = hooks.filter(({ auth }) => auth === undefined)
    const message = `${countText(hooks.length, 'hook')}${open.length === 0 ? '' : `; without auth, so reachable from this machine only: ${open.map((hook) => hook.name).join(', ')}`}`
    checks.push({ name, status: warnings.length > 0 ? 'warn' : 'ok', message, hints: warnings })
  } catch (error) {
    checks.push(failedCheck(name, error))
  }
  if (!isEmbedded) return checks
  const hints = ['"opsbook serve" receives them']
  return [
    ...checks,
    serves
      ? { name: 'serve', status: 'ok', message: 'running' }
      : { name: 'serve', status: 'warn', message: 'no process receives the events of the hooks', hints },
  ]
}

/** Checks that the callbacks of the runbooks here have addresses. */
export async function checkCallbacks(
  { engine }: DoctorOptions,
  configuration: Configuration,
  { plans }: Needs,
  io: Io,
): Promise<readonly Check[]> {
  const name = 'callbacks'
  const using = plans.filter((plan) => callbackNames(plan).length > 0).map((plan) => plan.name)
  if (using.length === 0) return []
  const { publicUrl: url } = publicUrl(configuration)
  if (url === undefined) {
    const message = `${using.join(', ')}: opsbook.yaml has no public-url under "serve", so the run is refused`
    return [
      { name, status: 'fail', message, hints: ['such as serve: { public-url: "https://ops.example.com" }'] },
    ]
  }
  if (chooseEngine(engine, configuration, io) === 'embedded') return [{ name, status: 'ok', message: url }]
  try {
    if ((await readCallbackKey(configuration, io)) !== undefined)
      return [{ name, status: 'ok', message: url }]
  } catch (error) {
    return [failedCheck(name, error)]
  }
  const message = `${using.join(', ')}: opsbook.yaml has no callback-key under "serve", which Temporal needs`
  return [
    { name, status: 'fail', message, hints: ['such as serve: { callback-key: "env:OPSBOOK_CALLBACK_KEY" }'] },
  ]
}

/** Checks that someone can answer each question of the runbooks here. */
export function checkPolicies({ document }: Configuration, { plans }: Needs): readonly Check[] {
  const hints = ['docs/people.md says who may answer']
  return policyWarnings(plans, peopleOf(document)).map((message) => ({
    name: 'people',
    status: 'warn',
    message,
    hints,
  }))
}

/** Checks that each hook that a trigger of the runbooks here names is configured. */
export function checkTriggers({ document }: Configuration, { plans }: Needs): readonly Check[] {
  const name = 'triggers'
  const missing = missingHooks(
    plans.map((plan) => ({ plan })),
    Object.keys(document.hooks ?? {}),
  )
  const hints = ['add the hook under "hooks" in opsbook.yaml, as docs/triggers.md shows']
  return missing.map((message) => ({ name, status: 'warn', message, hints }))
}
