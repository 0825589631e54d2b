import { type Paint, plainPaint } from '../../../project/index.ts'
import type { Io, OutputStream } from '../io.ts'

/**
 * The colours for a stream: asked for by flag, else by the environment (`NO_COLOR`, `FORCE_COLOR`), else by
 * whether the stream is a terminal. The colour library is loaded only where there is colour.
 */
export async function createPaint(stream: OutputStream, io: Io, flag: boolean | undefined): Promise<Paint> {
  if (!wantsColor(stream, io, flag)) return plainPaint
  const { Chalk } = await import('chalk')
  return new Chalk({ level: 1 })
}

function wantsColor(stream: OutputStream, { env }: Io, flag: boolean | undefined): boolean {
  if (flag !== undefined) return flag
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
