import { join } from 'node:path'
import { checkProgram } from '../check-program.ts'
import { isProgram, programFile } from '../find-on-path.ts'
import { notFound, type Way } from '../way.ts'

/** What was downloaded or built before. */
export const cached: Way = {
  name: ({ folder }) => `the cache ${folder}`,
  async find({ folder }) {
    const path = join(folder, programFile('temporal'))
    if (!isProgram(path)) return notFound('not there')
    const why = await checkProgram(path)
    return why === undefined ? { kind: 'program', path } : notFound(why)
  },
}
