# complete.zsh SCRIPT LINE: what a zsh with this script of completions offers behind the line, a word
# per line. The line is typed into a shell on a terminal of its own.
zmodload zsh/zpty
offered=$(mktemp)
setup=$offered.zsh
print -r -- "PS1=READY: LISTMAX=10000
setopt extended_glob
autoload -Uz compinit
compinit -u -D
source ${(q)1}
compadd() {
  local -a found
  # With -O, -A or -D it is only looked at.
  if [[ \" \${(j: :)@[1,(i)(-|--)]} \" != *' '-[a-zA-Z]#[OAD]' '* ]]; then
    builtin compadd -A found \"\$@\"
    print -rl -- \$found >>${(q)offered}
  fi
  builtin compadd \"\$@\"
}" >$setup
zpty shell TERM=dumb zsh -f -i
zpty -w shell " . ${(q)setup}"
# What is typed before the editor listens goes through the terminal's own hands.
zpty -r shell line '*READY:*'
zpty -w -n shell "$2"$'\t\C-u exit\n'
while zpty -r shell line 2>/dev/null; do [[ -z $COMPLETE_DEBUG ]] || print -r -- $line; done
grep . $offered
rm -f $offered $setup
