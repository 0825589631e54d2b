import { judge } from '../judge.ts'
import { settle } from '../settle.ts'
import { chance, noteStop, type Stage } from '../stage.ts'
import { hostsWords, slowCalls, someMoment } from './hosts-run.ts'

/** Two runs in one data directory at the same time, their processes killed: neither notices the other. */
export async function playNeighbours(stage: Stage): Promise<void> {
  await stage.sandbox.reset(slowCalls(stage))
  const tags = [stage.tag, `${stage.tag}b`]
  await Promise.all(tags.map((tag) => torment(stage, tag)))
  for (const tag of tags) {
    await settle(stage, tag)
    await judge(stage, tag)
  }
}

async function torment(stage: Stage, tag: string): Promise<void> {
  const { random } = stage
  const owner = stage.start(hostsWords(tag))
  if (chance(random, 0.7)) await someMoment(owner, stage)
  await stage.strikeLater(owner, random.below(100))
  await owner.ended
  await noteStop(stage, tag)
  const run = stage.journal(tag)?.run
  if (!run) {
    stage.expectCode(await stage.command(...hostsWords(tag)), [0])
  } else if (run.status === 'interrupted') {
    const next = stage.start(['resume', run.run_id])
    if (chance(random, 0.5)) await stage.strikeLater(next, random.below(1500))
    stage.expectCode(await next.ended, [0, 4])
  }
  await noteStop(stage, tag)
}
