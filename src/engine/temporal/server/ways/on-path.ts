import { checkProgram } from '../check-program.ts'
import { findOnPath } from '../find-on-path.ts'
import { notFound, type Way } from '../way.ts'

/** The command line tool that somebody has installed. */
export const onPath: Way = {
  name: () => '"temporal" on the PATH',
  async find({ environment }) {
    const path = findOnPath('temporal', environment['PATH'])
    if (path === undefined) return notFound('not there')
    const why = await checkProgram(path)
    return why === undefined ? { kind: 'program', path } : notFound(why)
  },
}
