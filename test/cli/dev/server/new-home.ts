import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { release } from '../../../../src/cli/dev/server/find-server.ts'

/** Where the cache is in the folder of a user. */
export const cache: string = `.cache/opsbook/temporal/${release}`

/** What a program that fits says when it is asked for its version. */
const good = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'

/** The folder of a user with shell scripts in it. It goes away with the test. */
export async function newHome(programs: Readonly<Record<string, string>>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'opsbook-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  for (const [name, script] of Object.entries(programs)) {
    const file = join(home, fillIn(name, home))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${fillIn(script, home)}\n`)
    await chmod(file, 0o755)
  }
  return home
}

/** What the words in capital letters stand for. */
export function fillIn(text: string, home: string): string {
  return text
    .replaceAll('GOOD', good)
    .replaceAll('CACHE', cache)
    .replaceAll('HOME/', `${home}/`)
    .replaceAll('RELEASE', release)
}
