import type { Engine } from '../../engine/engine.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { CommandContext } from '../context.ts'

export async function openTemporal(
  _context: CommandContext,
  _configuration: Configuration,
  _dataDir: string,
): Promise<Engine> {
  throw new Error('not there yet')
}
