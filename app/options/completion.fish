# fish completion of triangulum; made by: triangulum completion fish

# Whether the next argument of COMMAND is number NUMBER, or with MORE = + that or a later one. What follows are the
# options that take a value.
function __triangulum_argument --argument-names command number more
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $command; or return 1
    set -l taken 0
    set -l value 0
    for word in $words[3..-1]
        if test $value -eq 1
            set value 0
        else if string match -q -- '-*' $word
            contains -- $word $argv[4..-1]; and set value 1
        else
            set taken (math $taken + 1)
        end
    end
    test $value -eq 0; or return 1
    set -l next (math $taken + 1)
    test $next -eq $number; or test $more = + -a $next -gt $number
end

# The names behind what a list holds already, without those.
function __triangulum_list
    set -l now (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
    set -l before (string match -r -- '.*,' $now; or echo)
    set -l given (string split -- , $now)[1..-2]
    for name in $argv
        contains -- $name $given; or echo $before$name
    end
end

# The keys behind NAME: of a scene, without those that are given.
function __triangulum_keys
    set -l now (commandline -ct)
    string match -q -- '*:*' $now; or return
    set -l before (string match -r -- '.*[:,]' $now)
    set -l keys
    switch (string split -m 1 : -- $now)[1]
@KEYS@
    end
    for key in $keys
        string match -q -r -- "[:,]$key" $now; or echo $before$key
    end
end

complete -c triangulum -f
@COMPLETE@
