import { createMask } from './src/core/mask/mask.ts'
const few = ['ENVCANARY-4b1c9e0d-Qw+/&"x y" <z>', 'hunter2!', 'a+b c', 'sk-live-0123456789abcdef']
const rep=(s:string,n=1e6)=>s.repeat(Math.ceil(n/s.length)).slice(0,n)
const text=process.argv[2]==='o'? rep('2026-11-22T07:22:04.123Z attempt 17 succeeded: application app_17 of team 1 is there, and nothing else is new\n'): rep(process.argv[2]!)
const mask=createMask(few)
for(let i=0;i<40;i++) mask.text(text)
