//! Programs that go to text and back.

use super::{parse, print};
use crate::{Program, Terminator};
use treville_base::{FileId, Span};

fn without_spans(mut program: Program) -> Program {
    let nowhere = Span::new(FileId(0), 0, 0);
    program.objects.iter_mut().for_each(|o| o.span = nowhere);
    for block in program.funcs.iter_mut().flat_map(|f| f.blocks.iter_mut()) {
        block.insts.iter_mut().for_each(|i| i.span = nowhere);
        if let Terminator::Branch { span, .. } = &mut block.end {
            *span = nowhere;
        }
    }
    program
}

fn read(text: &str) -> Program {
    parse(FileId(0), text).unwrap_or_else(|e| panic!("{e:?}"))
}

const ALL: &str = r#"
program "all \"of\" it"
dialect PPC power branch_events conditional_store_data loose_compare status_operands exclusive EX sets [SYNC Rcu-lock]
tags [A RLX]
object x size 8 type u64 init [0 8 (addr y 4)]
object y size 8 type i32 array thread_local // two cells
object x size 4
object z size 16 type untyped uninitialized init []
func f (b) regs [a:32 b:64 b:64 load:1 p:64 "func":8 "object":8] {
b0:
  a = (add a 1:32)
  #5 = (add #5 #6)
  @4' a = load &y 4 [RLX A]
  store (addr y -4) (zext 32 (not #3)) 4 [NA]
  a = update &#0 4 (sub a 1:32) if (eq a 0xffffffff:32) [] [A] [RLX] [] fences [SYNC A]
  #3 = store_conditional &y a 4 ["odd tag"]
  fence [SYNC]
  lock acquire &y 4
  #3 = lock try &y 4
  a = opaque _ 1:8 [A]
  opaque &y _ []
  wait spin (ne a a)
  a = call f (p)
  call * p ()
  p = spawn f (1:64 p)
  a = join p
  join p
  p = alloc heap 8:64 zeroed
  p = alloc private (mul p 2:64)
  free p
  copy p #2 8:64 []
  fill p 0:8 8:64 []
  mark spin_start
  mark loop_bound 7
  mark cut
  mark at "6"
  mark step
  mark nowhere
  @90 branch (slt a 5:32) b1 b2 join b2
b1:
  fail use-after-free "gone\n\"now\""
  #3 = nondet
  p = handle make (add p 1:64)
  p = handle receive p
  p = current
  p = current number
  return (ite #3 a (sext 32 (neg 7:0)))
b2:
  return _
b3:
  goto b0
b4:
  exit p
}
func g () regs [] {
b0:
  end
}
thread P0 f [b &y a -1:32]
thread "thread 1" g [] scopes [far 0 near 1]
"#;

#[test]
fn everything_round_trips() {
    let program = read(ALL);
    let text = print(&program);
    assert_eq!(without_spans(read(&text)), without_spans(program), "{text}");
    assert_eq!(print(&read(&text)), text);
    assert!(text.contains("@4' a = load &y 4 [A RLX]"), "{text}");
    assert!(text.contains("@5 store (addr y -4) (zext 32 (not #3)) 4 [NA]"), "{text}");
}

#[test]
fn mistakes_have_a_place() {
    let error = |text: &str| {
        let e = parse(FileId(0), text).err().unwrap_or_else(|| panic!("{text}"));
        let at = e.span.map_or(0, |s| s.start as usize);
        (e.message, text[at..].split_whitespace().next().unwrap_or("").to_owned())
    };
    let wrong = |text: &str, message: &str, at: &str| assert_eq!(error(text), (message.to_owned(), at.to_owned()));
    let body = |op: &str| format!("func f () regs [a:8] {{ b0: {op} end }}");
    wrong(&body("b = 1:8"), "there is no such register", "b");
    wrong(&body("a = 1:129"), "a width is 1 to 128", "129");
    wrong(&body("store a a 17 []"), "a size is 1 to 16 bytes", "17");
    wrong(&body("load a 1 []"), "expected an operation, or a register and `=`", "load");
    wrong(&body("a = (addr a 0)"), "there is no such object", "a");
    wrong("func f () regs [] { b0: goto b1 }", "the function `f` lacks a block that it goes to", "");
    wrong("func f () regs [] { b1: end }", "expected block `b0`", "b1:");
    wrong("program \"x", "this text does not end", "\"x");
    wrong("thread a f [] func f () regs [] { b0: end }", "the function must come before", "[]");
    let deep = body(&format!("a = {}a{}", "(not ".repeat(300), ")".repeat(300)));
    assert_eq!(error(&deep).0, "this expression is nested too deeply");
}
