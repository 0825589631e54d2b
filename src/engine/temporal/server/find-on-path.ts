import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The file that the system would run for a name. */
export function findOnPath(name: string, path: string | undefined): string | undefined {
  const file = programFile(name)
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isProgram)
}

/** The name of a program's file on this system. */
export function programFile(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
