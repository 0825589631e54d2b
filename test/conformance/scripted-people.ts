import { userInfo } from 'node:os'
import type { ScriptedReply } from '../../src/testing/index.ts'
import type { RunCase } from './run-case.ts'
import { milliseconds } from './script.ts'

/** The answers to a question of a case in their order, and how long after the question, or the answer before. */
export function answersTo({ people = {} }: Pick<RunCase, 'people'>, path: string): readonly ScriptedReply[] {
  return [people[path] ?? []].flat().map(({ approves = true, value, after, by, comment, groups, is }) => {
    const name = by === 'the starter' ? userInfo().username : (by ?? 'somebody')
    const verified = is === 'verified' ? ({ verified: true } as const) : {}
    const given = {
      approved: approves,
      ...(value === undefined ? {} : { value }),
      by: { name, source: 'system-user', user: name, ...verified },
      ...(groups === undefined ? {} : { groups }),
      ...(comment === undefined ? {} : { comment }),
    } as const
    return { given, afterMs: milliseconds(after) }
  })
}
