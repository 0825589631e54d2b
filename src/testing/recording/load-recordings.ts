import type { JsonPath } from '../../core/json.ts'
import type { ReadFile } from '../../load/index.ts'
import type { Source } from '../../load/yaml/index.ts'
import type { CallScript, Setting, TestFile } from '../file/test-file.ts'
import { parseRecording, type Recording, recordingFile } from './recording.ts'

/** A place of a test file that names a recording. */
export interface RecordingUse {
  readonly recording: string
  /** The name of the script: a path, or an action. */
  readonly name: string
  readonly at: JsonPath
}

/** The recordings that the scripts of a test file name. */
export function recordingUses({ defaults, tests }: TestFile): readonly RecordingUse[] {
  const ofSetting = ({ calls = {} }: Setting, at: JsonPath): readonly RecordingUse[] =>
    Object.entries(calls).flatMap(([name, script]) => {
      const isList = Array.isArray(script)
      return ([script].flat() as readonly CallScript[]).flatMap(({ recording }, index) =>
        recording === undefined
          ? []
          : { recording, name, at: [...at, 'calls', name, ...(isList ? [index] : []), 'recording'] },
      )
    })
  return [
    ...(defaults ? ofSetting(defaults, ['defaults']) : []),
    ...tests.flatMap((test, index) => ofSetting(test, ['tests', index])),
  ]
}

/** Loads the recordings that a test file names. One that is missing or damaged is a finding at its first use. */
export function loadRecordings(
  source: Source,
  document: TestFile,
  read: ReadFile,
  into: Map<string, Recording>,
): void {
  const seen = new Set<string>()
  for (const { recording: name, at } of recordingUses(document)) {
    if (seen.has(name)) continue
    seen.add(name)
    const file = recordingFile(name)
    const text = read(file)
    const found =
      text === undefined || text === null ? undefined : parseRecording(Buffer.from(text).toString('utf8'))
    if (found) into.set(name, found)
    else {
      const message =
        text === null
          ? `${file} is a link that leads out of the repository`
          : text === undefined
            ? `there is no recording ${file}`
            : `${file} is no recording`
      const hint = `opsbook test record RUN --as ${name}`
      source.add(text === null ? 'INVALID_PATH' : 'WRONG_VALUE', at, message, hint)
    }
  }
}
