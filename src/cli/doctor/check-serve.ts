import { isServed } from '../../engine/embedded/serve-lock.ts'
import type { DoctorOptions } from '../commands/doctor.ts'
import { type Configuration, chooseDataDir } from '../configuration/index.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import type { Io } from '../io.ts'
import { readHooks } from '../serve/read-hooks.ts'
import { countText } from '../terminal/count-text.ts'
import { type Check, failedCheck } from './check.ts'

/** The hooks with their secrets, and whether somebody serves them. Where there are none nothing is said. */
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
      ? [{ name: 'serve', status: 'ok', message: 'at work; opsbook.yaml of this folder has no hooks' }]
      : []
  const checks: Check[] = []
  try {
    const { hooks, warnings } = await readHooks(configuration, io)
    const open = hooks.filter(({ auth }) => auth === undefined)
    const message = `${countText(hooks.length, 'hook')}${open.length === 0 ? '' : `; without auth, so on this machine only: ${open.map((hook) => hook.name).join(', ')}`}`
    checks.push({ name, status: warnings.length > 0 ? 'warn' : 'ok', message, hints: warnings })
  } catch (error) {
    checks.push(failedCheck(name, error))
  }
  if (!isEmbedded) return checks
  const hints = ['"opsbook serve" takes their events']
  return [
    ...checks,
    serves
      ? { name: 'serve', status: 'ok', message: 'at work' }
      : { name: 'serve', status: 'warn', message: 'nobody takes the events of the hooks', hints },
  ]
}
