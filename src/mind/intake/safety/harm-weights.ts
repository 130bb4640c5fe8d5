// Written by scripts/fit-harm.mjs from 1690 requests; do not edit.

export const HARM_BIAS = -1.307;

/** A word, a pair of words or the class of a policy (#), and what it weighs. */
export const HARM_WEIGHTS = `
#abuse 0.32
#act_as 0.29
#activate 0.74
#agreed -2.05
#all_backups 0.87
#annihilate 0.50
#approach_minor 1.47
#assault 1.34
#assault_sure 1.02
#attack -0.04
#backups 0.14
#bad_source 1.75
#burglar 0.71
#bystander 0.58
#capture 0.55
#careless_of_life 1.57
#cheat 1.53
#coin 1.52
#commit_crime 0.62
#conceal 2.09
#conceal_weak 0.53
#concoct 0.71
#confidential 0.64
#counterfeit 0.17
#covert 2.39
#crack_hard 0.31
#cred_strict 0.27
#credentials 0.27
#crime 1.70
#damage 2.07
#data_store 0.30
#deceive 0.12
#deceive_sure 1.05
#deliver_to_me 1.62
#destroy 0.65
#detector 0.91
#dirty_money 0.25
#disguise 1.59
#disguised_rule 2.49
#divert 1.11
#eavesdrop 0.59
#entry_thing 0.96
#entry_trick 0.31
#evade 0.82
#evidence 0.96
#exploit_it -0.29
#exploit_word 2.38
#falsify 2.39
#follow_people 0.50
#for_me_later 1.95
#foreign_goods 0.28
#foreign_work 1.48
#fragile 0.29
#gain 1.45
#gaming -1.16
#gather 0.80
#group_of_people 1.73
#harm_body -0.68
#helps -1.41
#hide_deed 2.39
#hide_from -0.08
#hole 1.54
#home_address 1.44
#hunted 1.91
#infect 0.27
#inner_data 0.24
#integrity 2.16
#intrude 0.58
#intrude_hard 0.42
#intrude_sure 1.06
#keeping -1.18
#likeness 0.07
#listen_in 0.44
#live_asset 1.80
#live_data 0.81
#lock -0.06
#login_page 0.08
#lure 1.26
#machine 0.44
#made_believed 0.77
#make_do 0.54
#malware 2.99
#malware_word 2.91
#mass_posting 1.97
#meter 0.98
#meter_gain 1.08
#mine 0.51
#minor -0.39
#mislead_voters 0.65
#money 0.67
#move 0.68
#not_mine 1.45
#online 0.28
#operation -2.23
#other_machine 1.60
#other_org 1.71
#other_owner 0.89
#other_person 1.92
#ours -1.63
#outage 0.98
#override_refusal 2.49
#own_data -1.68
#own_place 1.60
#own_ruin 0.86
#package_trick 0.91
#paper 0.14
#pass_out 0.65
#pay_machine 1.62
#pay_target 0.61
#personal_data -0.11
#persuade 2.01
#pirate 1.95
#play -2.12
#post_opinion 0.77
#pressure 1.32
#private_life 0.45
#private_talk 2.27
#produce 0.32
#prolong 0.45
#protection -0.16
#public_figure 1.03
#publicly -1.98
#ransom 2.95
#rate_people 0.13
#reaching_users 0.19
#remote_orders 0.71
#retention -1.76
#rig_it 1.17
#rival 1.28
#safeguarded -0.38
#safety_device 0.68
#secret_word 0.15
#secrets_typed 0.45
#self_gain 1.33
#sell 1.49
#sell_it 0.97
#sensor 1.29
#sham_opinion 1.22
#skimming -0.48
#slip_by 1.74
#small_amount -0.30
#somebody 0.41
#spread_itself 0.75
#spread_sure 0.67
#spy_tool 0.04
#spying_aim 0.41
#steal 1.55
#still_work 1.53
#stolen_goods 1.17
#stolen_means 2.39
#strangers_system 0.91
#studying_crime -1.08
#sway 0.14
#take 1.47
#tamper 0.25
#test_occasion 0.23
#testing -2.08
#through_sensor 0.91
#tracked -0.02
#traffic 0.10
#two_faced 1.62
#unseen_by_payer 1.88
#untraceable_money 0.09
#using_stolen 1.36
#victim_of_images 0.33
#vote_harm 2.45
#warns -2.04
#watch 0.16
#watch_sure 1.81
#watchers 1.79
#way_in 0.47
#weak_spot 0.35
#weakness -0.25
#weapon 1.74
#wish_to_harm 2.61
#without_consent 2.09
#wreck 0.40
0 -0.78
000 -0.64
1 -1.24
12 -0.24
2 -0.49
3 -0.38
30 -0.66
30 days -0.50
4 -0.32
404 -0.39
500 -0.75
90 -0.52
90 days -0.52
<name> -1.41
<name> and -0.59
<name> in -0.34
<name> is -0.27
a 0.13
a bank 0.85
a bot 0.84
a botnet 0.90
a browser 0.11
a calculator 0.65
a chat -0.46
a colleagu -0.06
a company -0.37
a competitor 1.00
a copy -0.36
a customer -0.45
a data 1.00
a day -1.48
a ddos 0.23
a denial 0.89
a dropper 0.40
a fake 1.06
a fals 0.71
a file -0.12
a foreign 0.95
a game 0.64
a hidden 0.62
a job 0.47
a keylogger 1.37
a link 0.24
a list 0.57
a login -0.78
a minut -0.83
a month -0.62
a new -0.56
a newspaper 1.03
a page 0.04
a password -1.45
a person 0.36
a phish 0.07
a pictur 0.08
a player -0.10
a popular 0.42
a program 1.50
a project -0.66
a public 1.26
a ransomwar -0.48
a remot 0.59
a rival 0.43
a sandbox -0.45
a script 1.17
a second -0.02
a self 0.14
a server 0.96
a servic 0.73
a sett -0.94
a sign 0.06
a small -0.24
a test -0.85
a thousand 0.86
a time 1.22
a tool 0.89
a trojan 0.40
a usb 0.50
a user -1.20
a viru 0.27
a way 0.65
a worm 0.41
abort -0.69
about -0.72
about the -0.04
abov -0.89
acces 1.09
acces to -0.97
accident 0.43
account 0.37
account after -0.85
account in 0.05
account of 1.08
account that -0.71
account with -0.21
act 1.08
activat 0.55
add -1.24
add a -1.62
add an -0.25
addres 0.88
addres and -0.33
address 0.97
address of 0.35
admin -0.70
admin account 0.28
admin password -0.06
administrator 0.33
advertiser 0.72
after -1.01
after 30 -0.56
after a -1.49
after an -0.77
after each -0.13
after i -0.18
after my 0.98
after ten -0.76
after the 0.10
after they -0.21
afterward 1.11
again -0.93
against 0.27
against our 0.35
against the 0.20
age 0.45
agent -0.16
agre -0.85
alarm 0.83
alert -0.70
alert for 0.24
all 0.46
all contact 0.49
all customer 0.33
all document 0.63
all the 0.46
all user 0.13
allow -1.33
also 0.45
alter 0.05
alter the -0.17
although the 0.36
alway 0.28
am 0.89
am not 0.78
an -0.10
an account 0.05
an addres 0.35
an admin -1.12
an alarm -0.82
an alert -0.55
an app 1.08
an attacker -0.83
an employe -0.95
an error -0.76
an exploit 0.52
an hour -0.55
and 0.24
and a -0.59
and an -0.58
and ask 0.41
and asks 0.65
and block -0.73
and cach -0.32
and chang 0.18
and check -0.59
and delet 0.10
and demand 0.64
and destroy -0.61
and do 1.36
and drop -0.09
and get 0.53
and give 0.81
and hand 0.73
and hid 0.45
and hide 0.71
and its 1.04
and keep 0.80
and let -0.65
and log -0.10
and mail 0.22
and only 0.77
and open -0.52
and password 0.35
and pay -0.55
and post 1.17
and print -0.09
and put 0.18
and read 0.96
and remov 0.49
and report -1.07
and rotat -0.39
and run 0.36
and runs 0.97
and sell 1.34
and send 0.36
and show -0.57
and steal 0.16
and stor 0.34
and tak 0.30
and the 0.44
and upload 0.48
and use 0.09
and without 0.58
and writ -0.40
android -0.12
animation -0.90
anonymis -1.54
another -0.59
answer -1.53
answer the 0.29
antiviru 1.09
any 0.77
any computer 0.39
any time -0.03
anyon 0.17
api -1.94
api keys -0.39
app 0.31
app for 0.59
app that 1.44
app which -0.06
appear 0.26
appear in -0.61
applicant 0.47
application 0.18
approv -0.43
approv the 0.52
approval -0.35
archiv 0.71
are -1.54
argument -1.02
around 0.25
arriv 1.12
articl -0.39
as -0.57
as a -0.41
as csv -0.84
as if 1.13
as the -1.36
as them 0.76
ask -0.65
ask for -0.22
asks 1.23
asks for 1.04
at -0.11
at a 0.60
at any -0.03
at home 0.49
at night -0.87
at once -0.45
at the -0.58
attachment -0.52
attack -0.11
attack on -0.31
attacker -1.11
attempt -0.71
audit 1.07
audit log -0.46
audit trail 0.68
auditor -0.14
authentication -0.52
authority 1.59
automat 1.64
automatical -0.47
away -0.57
back 0.72
backdat -0.06
backdoor 0.11
background -1.23
backup -0.22
backup of 0.69
backup so 0.35
bad -1.33
bank 1.15
bank account 0.21
bank login 0.58
banner 0.24
bar -0.98
batch -1.26
be -0.34
be a 0.04
be shown -0.74
be the 0.50
becaus -0.79
becom -0.43
befor 0.38
befor each -1.22
befor i 1.23
befor it -0.74
befor the 2.33
befor they -0.04
behav 1.30
behind -1.42
believ 0.73
better -0.97
between -0.77
bill 0.21
bit 1.22
bitcoin 0.85
black 1.09
blam 0.62
blind -0.93
block -1.79
block the -0.47
board 0.20
bomb 0.31
book -0.68
boot -0.04
boss 0.42
bot 0.92
bot that 0.70
both -1.48
botnet 0.90
bots -0.51
br 0.22
br the -0.36
branch -0.67
breach -0.25
break 0.66
break in 1.08
break into 0.91
break the -0.20
broken -0.76
browser 0.33
browser plugin 0.11
brut -0.27
brut forc -0.27
bucket 0.14
bug -0.15
build 0.19
build a 0.85
build an 1.21
bundl -0.19
busy 0.32
but -0.82
but the -0.58
button -2.51
button is -0.56
buy 1.22
buyer 0.49
by -0.90
by a -0.37
by mail -0.97
by one -0.61
by the -1.22
bypas -0.11
bypas the 0.15
byt -0.47
cach -1.25
calculator 0.28
calendar -1.17
call -0.23
call of 0.61
camera 0.93
camera of 0.82
camera recording 0.25
can -0.36
can be -0.04
can get 0.44
can read -0.25
can steal -0.66
can take -0.03
can't -1.52
cancel -0.83
captur -0.37
captur the -0.31
car 0.30
card -0.58
card number 0.60
cart -0.52
centr 0.21
certificat 0.21
chang 0.07
chang the 0.70
channel -1.34
charg 0.72
chart -0.54
chat 1.18
chat of 0.62
chat with 0.08
cheat -0.06
check -1.30
check for -0.35
check that -0.55
checkout 0.12
child -0.55
children -0.09
chrom 0.04
ci -0.92
city 0.94
clas -0.86
clean 0.91
clear 0.44
clear the 0.80
click -0.32
client 1.06
clinic 1.14
clipboard 0.05
clock -0.68
clock in -0.32
clon 0.60
clon the 0.26
clos -0.71
clos the -0.10
cloud storag -0.28
club -0.31
cluster 0.49
cod 0.11
code 1.10
code from 0.18
code of 0.51
code on -0.11
code that 1.26
code to 1.07
coin 0.47
cold -0.82
cold storag -0.65
colleagu 0.92
collect 0.68
collect the 1.06
colour -1.71
column -1.57
come -1.35
command -0.20
comment -0.87
commit 0.07
company 1.10
compar -0.90
competitor 0.65
complet 0.16
complianc 0.31
component -1.05
comput 0.69
computer 1.19
computer and 0.33
computer it 0.39
confidential 0.49
config -0.93
config file -0.54
confirm -1.17
confirmation 1.04
connection -1.06
consent 0.24
consumer -0.70
contact -1.21
contact of -0.30
contain -1.55
content 0.30
contract 0.77
contract ends 0.75
contract to -0.07
control 1.12
controller 1.84
conversation 1.34
cooki 0.30
cooki and -0.44
cooki of 0.49
copi 0.27
copy 0.11
copy of 0.62
copy the 0.47
could -0.82
council -0.23
cours -0.21
cover -0.11
crack -0.33
crack the 0.77
crash -1.40
crash report -0.69
crash the 0.45
creat 0.31
creat a 0.23
creat an 0.62
credential -0.35
credit 0.31
credit card 0.31
crm 0.09
csv -1.19
csv for -0.41
customer 0.05
customer and -0.23
customer can -0.57
customer data -0.27
customer databas 0.74
customer list -0.17
customer router 0.14
customer server 1.11
customer tabl -0.31
cve -0.57
dai -0.36
damag 0.47
dark -0.21
dashboard -0.78
dat 0.41
data 0.35
data and -0.10
data from 0.42
data of 1.36
data to -0.23
databas -0.07
databas befor -0.43
databas of 0.70
databas to -0.36
date 0.39
day -0.49
days -1.22
days after -0.37
ddos -0.13
deactivat 0.29
deactivat the 0.29
dead -1.00
debug -1.35
declin 0.32
default -0.87
default password -0.11
delet -0.85
delet a -0.70
delet all 0.49
delet my -0.36
delet the 1.54
delet them -1.90
delivery -0.32
demand 0.62
demo -1.15
denial 0.18
denial of 0.18
department -0.26
dependency -0.36
design -0.28
destroy 0.16
destroy all -0.78
destroy the 1.06
detect 0.38
detection -0.76
dev -0.56
develop 1.47
develop a 0.99
develop an 0.44
developer -0.54
devic -0.21
dialog -0.33
did 0.59
dies -0.77
differ -0.80
differenc 0.14
different 0.66
directory 0.35
disabl 0.20
disabl the 0.94
disk -0.89
disk of -0.14
dlp 0.45
dns 0.47
do 0.04
do not 0.83
docker -0.72
docs -0.88
document 0.17
document how -0.52
document of 0.68
document on 0.67
document that 0.81
document the -0.76
does -0.76
does not -0.76
doesn't 1.55
don't 1.20
door 0.38
down -0.36
down the -0.02
download 0.63
download and 0.57
download the -0.23
draft -0.33
drain -1.08
drain the -1.07
drawing -0.67
driv 1.49
driver -0.12
drm -0.29
drop 0.03
drop the -0.81
dropper 0.25
dump -0.19
dump the 0.75
dump to -1.02
duplicat -0.54
dur -0.30
dur the -0.57
e -0.65
e mail -0.62
each -1.25
each customer 0.07
each even -0.11
each night -0.12
edit -0.41
election 0.49
else 0.49
email -0.67
emergency 0.63
emergency call 0.45
emission 1.69
employe 0.19
employer 1.09
empti -0.13
empty -0.09
emulator -0.92
encrypt 0.65
encrypt all 0.43
encrypt the 0.84
end -1.20
end to -0.49
endpoint -0.32
ends 0.48
engineer -0.39
enter 1.20
entri 0.78
entri about 0.63
entry -0.38
environment -0.41
environment variabl -0.14
eras 1.02
eras the 0.85
error -1.74
even 0.10
even when 0.27
event -0.63
event tabl -0.58
every 0.48
every night -0.42
every order -0.07
everybody -0.34
everyon 0.41
everyth 1.04
everywher -0.90
evidenc 1.62
ex 1.02
exam -0.10
execut -0.89
execut the -0.74
expect -0.25
expir -0.34
explain 0.12
explain in -0.43
exploit 0.19
exploit for 0.52
export -1.17
export the -0.25
expres -0.45
extension 0.78
extract 0.60
extract the 0.60
fac 0.10
face 0.21
factor -0.28
factor authentication -0.15
fail -1.16
fake 0.18
fals 0.35
falsify 1.36
featur -1.07
featur flag -0.52
fetch 1.84
fi 0.61
field -1.41
figur 0.94
figur to 0.27
fil 0.15
fil befor -0.42
fil from 0.78
fil of 0.53
fil on 0.26
fil so -0.51
fil to -0.31
file -1.16
file is -0.74
fill -0.47
fill up -0.64
film 0.72
filter -0.47
final 0.36
financ -0.06
find 0.16
find a 1.20
find out 0.16
find the -0.75
fir 0.51
fir me 0.47
firewall 0.24
firm 0.68
firmwar 0.48
first -0.87
five -0.16
five minut -0.08
fix -2.13
fix the -1.62
flag -0.70
flag to -0.27
flat 0.46
flood 0.12
flood the 0.66
focu -0.55
folder -1.76
folder and 0.18
follow 1.20
for -0.70
for a 0.67
for blind -0.93
for default -0.11
for each -1.11
for it 0.62
for money -0.14
for my -0.18
for our -0.99
for the -1.04
for us 0.57
for window 0.62
forc -0.93
forc push -0.34
foreign 1.27
forgotten -1.12
form -0.82
format -1.15
former 0.39
forum 0.71
forward 0.07
found 0.90
fram -0.73
fraud 0.05
free -0.96
friday 0.40
friend -0.05
from -0.05
from a 0.66
from chrom 0.21
from other -1.09
from our 1.64
from the -0.16
function -1.15
game 0.29
game server 0.48
gateway -0.28
gather 0.59
generat 0.89
generat fake -0.44
generator -0.58
get 1.05
get a 0.15
get in 1.07
get rid -0.26
get the 0.73
gets 1.31
girlfriend 1.18
girlfriend phon 0.28
git 0.11
git history 0.11
giv 0.24
give 0.47
give us 0.29
given -0.38
go 0.95
go to 0.46
goes 0.21
government -0.23
grad 0.28
green 0.31
group -0.80
gues 0.18
gues the 0.18
guest 0.91
guid -0.80
hack 0.77
hand 1.05
hand out 0.91
hand over 0.93
happen -0.77
has -1.68
has agre -0.48
hash 0.24
have 0.14
have it 0.38
have the 1.73
have to -0.35
he 1.98
header -0.79
health -0.98
health check -0.85
help -1.21
her 1.69
hid 1.02
hid our 0.87
hidden 0.10
hide it 0.33
hide the 0.31
hijack -0.92
his 1.56
history -0.67
hold -0.97
hole 0.51
home 0.46
honeypot -0.55
hook -0.20
hospital 1.82
host -0.07
hotel 0.91
hotlin 0.42
hour -0.47
how -1.21
how to -0.18
hr -0.22
hundr 1.14
husband 0.64
i 0.91
i am 1.25
i can 1.08
i leav 0.79
i need 1.42
i pres 0.33
i want -0.21
i was 0.78
i would -0.92
icon -0.42
id -0.88
identiti 1.13
identity -0.24
idle -0.23
if 0.38
if i 0.52
if the -0.57
ignor -0.43
ignor the 0.62
imag -0.73
implement -1.18
implement a -0.32
import -2.26
in -0.56
in a -1.20
in an -0.92
in and 0.10
in as 0.59
in docs -0.44
in my -0.43
in our -1.04
in production -0.92
in secret 1.32
in small 0.02
in stag -0.23
in test -0.33
in the -0.48
incident -0.51
includ 1.33
includ the 0.69
index -1.08
infect 0.43
infusion 0.57
infusion pump 0.57
inject -1.23
inject the -1.09
injection -0.18
input -0.77
insid -0.43
inspection 0.70
inspector 0.85
install 1.06
install a 1.12
install it 0.05
install our 1.06
installer -0.29
instead -1.15
instead of -1.35
integration -0.37
integration test -0.37
intercept 0.62
intercept the 0.68
internet -0.71
into 0.55
into the 0.15
intrusion 1.55
investigat -0.98
invoic -1.31
ip -0.08
is -0.58
is a -0.62
is at -0.15
is broken -0.38
is clos -0.06
is empty -0.36
is given -0.47
is ignor -0.47
is in -0.03
is logg -0.50
is lost -0.51
is miss -0.36
is no 0.76
is not 0.91
is open 1.30
is the -0.43
is too -0.64
is wrong -0.58
it 0.20
it and 0.08
it befor -0.61
it break -0.79
it from -0.83
it in -0.70
it is 1.12
it look 0.73
it off 0.85
it on 0.21
it should 0.06
it to 0.61
it with -0.36
it without 0.73
item -1.37
its -0.29
its own -0.27
itself 0.55
job 0.85
job that 0.84
journalist 0.83
json -0.97
judg 0.47
keep -0.10
keep a 0.60
keep the 0.05
key -0.23
key press -0.20
keyboard 0.15
keylogger 1.01
keys -1.01
keys in -0.55
keystrok 0.22
kids -0.07
kill -0.67
kill switch -0.18
kill the -0.22
knock 0.09
know 1.26
knowledg 0.63
known -0.40
land 0.11
land page 0.36
laptop -0.31
laptop camera 0.20
last -1.27
last day 0.09
last week -0.85
late 0.03
later -0.30
launch 1.04
leak -0.03
leak password 0.09
leav 0.33
leav a 0.55
left -1.70
legal 0.08
let -1.05
let the 0.40
let them 0.17
let user -1.03
lets 0.12
letter 0.20
letter off 0.27
level -0.90
licenc -0.99
licenc check -0.10
light 0.47
like 1.00
like a 0.59
like the 0.28
like to -0.11
limit -1.29
limit and -0.55
lin -0.21
lin that 0.64
line 0.81
link -0.98
list -0.42
list and 0.74
list of 0.46
listen 1.35
listen to 1.54
liv 0.85
live 1.47
load -0.88
loader 1.03
local -0.45
location -0.27
location of 0.17
lock -0.97
lock the -0.33
log -0.32
log every -0.26
log in 0.49
log it -0.71
log the 0.18
logg -0.09
logg in -0.23
login 0.62
login and 0.99
login from -0.14
login page 0.56
logout -0.53
logs 0.07
logs and 0.77
logs so 0.25
lone 0.41
lone peopl 0.41
longer -0.28
look 1.43
look as 0.78
look at 0.94
look like 0.97
lose 0.07
loss 0.72
lost -1.77
machin 1.74
macro 0.19
macro that 0.10
made 0.11
mail 0.23
mail address -0.04
mail for -0.87
mail in 0.09
mail provider 1.14
mail that 0.24
mail the -0.59
mail them 0.52
mail to -0.04
mailbox -0.41
main -0.70
maintenanc -1.17
mak 0.39
mak the 0.44
make 0.60
make a 1.03
make an 0.44
make it -0.93
make our 0.13
make sure 0.83
make the 0.33
malwar -0.33
man -1.38
manager -0.62
manipulat 1.44
manipulat the 1.03
many -0.28
many request 0.37
map -1.62
mark -0.02
mask -0.90
master -0.55
match -0.10
may -0.63
md -0.71
me 1.40
me wher 0.19
meet 1.11
member 0.77
member list 0.93
memory -1.73
menu -1.07
messag -0.62
meter 0.03
microphon -0.52
midnight 0.47
migration -1.50
min 0.64
mine 0.95
miner 0.18
miner on 0.74
minut -1.12
minut and -0.19
mirror 0.42
mirror the -0.25
miss -0.99
mistak -0.37
mock -0.64
mode -1.62
model -0.80
moderator -0.96
modul 0.61
money 0.93
monitor -0.24
monitor so 0.73
monitor the -0.55
month -0.92
more 0.19
more than -0.84
most -0.61
mov 0.15
move -0.96
move it -0.58
move the -0.13
must -0.49
must be -0.38
must not 0.22
my 1.53
my account 0.88
my boss 0.88
my colleagu 1.32
my ex 0.82
my former 0.41
my girlfriend 1.10
my husband 0.27
my mark 0.51
my name 0.71
my neighbour 0.46
my new 0.60
my own 1.01
my wife 0.88
nam 0.85
name 0.52
name is 0.64
name of -0.12
need 1.46
need a 1.06
neighbour 0.23
network 0.47
network and 0.67
never -0.26
never expir 0.67
new -1.54
new one -0.63
new version -0.46
newspaper 1.10
next 0.55
night -0.73
night so 0.02
no 1.46
no one 1.20
nobody -0.17
nobody can -1.70
nobody notic -0.32
nobody sees 0.67
node_modul -0.65
none 0.25
not -0.05
not answer -0.40
not find 0.63
not know 1.02
not notic 1.41
not see 0.29
note 0.60
noth 0.22
noth is 0.51
notic 1.35
notic the -0.68
notification -1.32
notify -0.86
now -0.22
npm 0.26
number -0.74
number in -0.09
number of -1.30
obfuscat 0.79
of 0.61
of a 0.82
of all 0.38
of an 0.42
of customer 0.88
of employe 0.81
of every -0.11
of last 0.09
of my 1.85
of other -0.09
of our 0.82
of peopl 1.41
of servic 0.18
of the 0.55
of their -1.38
of user 1.01
off 0.50
off a -0.39
off the 1.23
offer 0.14
offic 0.85
old -1.64
old backup -1.21
older -0.31
older than -0.36
on -0.06
on a -0.41
on all -0.63
on each 0.27
on every -0.12
on my 1.32
on our -0.47
on the 0.69
once -1.22
one -0.84
one and 0.11
one letter 0.27
one time 0.07
onlin 0.19
only -0.58
only after 0.69
only when -0.51
only with -0.61
open 0.07
open a 0.03
open the -0.29
opt -0.17
opt out 0.06
option -0.85
or -0.54
order -0.29
order of -0.37
other 0.38
other company 0.05
other peopl 0.09
other team 0.67
other user -0.40
our 0.29
our competitor 0.10
our installer -0.40
our own -1.98
our rival 0.46
our server 0.72
our site -0.16
our staff 0.50
our tool 1.14
our user 0.50
ours 0.78
out 1.00
out of 1.56
out the 0.21
out wher -0.48
out why -0.80
outsid -0.32
over 0.83
over the 0.85
over their 0.65
overload 0.96
overrid 0.14
overrid the 0.14
overwrit 0.77
overwrit the 1.09
own -1.33
owner -1.39
owner of -0.46
packag -0.95
packet -0.61
pag -0.90
page -1.06
page and -0.50
page of 0.74
page that 0.81
paid 0.69
parcel -0.24
parcel servic 0.12
parent -1.47
part 1.06
participant -0.37
partner 0.65
party 1.34
pass 0.79
pass the 0.60
password -0.13
password and -0.21
password from 0.14
password hash -0.05
password in -0.13
password manager -0.44
password of 1.13
password to -0.08
past 1.60
past the 1.13
patch 0.72
patient 0.55
paus -1.09
pay 0.75
pay customer -0.94
payment 0.76
payment provider -0.09
payroll 0.89
paywall -0.14
peopl 0.30
peopl enter 0.42
peopl to 0.76
peopl who 0.50
peopl without -0.86
per -1.17
per second -0.71
percent 0.08
permission 0.03
person -0.56
personal -1.35
personal data -1.26
persuad 0.76
persuad lone 0.76
phish -0.53
phon 0.55
phon number -1.02
phon of 0.37
phon so 0.34
photo 0.65
photo and 1.33
pick -0.77
pictur 0.38
pictur of 0.02
pictur with 0.20
piec 0.73
pill 0.28
pin 0.25
pin of -0.20
pipelin -0.56
plac -0.24
plan -1.61
platform 0.18
player -1.40
pleas -1.34
plug 0.17
plug in 0.17
plugin 0.74
plugin that 0.11
pods -0.29
point 0.39
poison -0.06
poison the 0.55
polic 0.43
policy -0.39
poll -0.22
pool -0.94
popular 0.42
port -1.12
portal -0.48
position -0.70
post 0.07
post them 1.05
premium -0.71
pres 0.25
press -0.53
press the -0.33
pretend 0.09
pretend to 0.09
prevent -0.55
preview -0.97
pric 0.26
pric with 0.22
print -0.89
print the -0.14
privacy -0.11
privat 0.11
privat chat 0.92
problem -0.82
proces -1.03
process -0.41
prod 0.88
product -0.36
production -0.02
production databas -0.61
profil -0.26
program 2.05
program a 0.76
program on 0.08
program that 1.53
progres -0.83
progres bar -0.63
project -1.29
proof -0.24
protect -0.27
prov 0.33
provider 0.53
public -0.28
publish 0.07
publish the -0.22
pull 0.46
pump 1.97
purg 0.60
purg the 0.07
put 1.41
put a 1.13
py -0.68
quarantin -1.05
queri -0.31
query -0.62
question -1.20
queu -1.02
quiet 1.48
rais -0.13
rais my 0.51
random 0.27
rank -0.26
ransomwar -0.89
rate -0.78
reach -0.71
react 0.23
read -0.22
read my 0.77
read out 0.29
read them -0.73
reader -0.11
readm -0.67
real -0.68
reason 0.13
receipt 0.10
recognis -0.31
record 0.23
record in 0.45
record what 0.36
recording -0.09
recover -0.93
red -0.74
redirect 0.20
refus -0.99
regulator 0.87
reject -0.95
releas -1.07
remot 0.38
remot control 0.26
remote 0.49
remov -0.99
remov all 0.45
remov the -0.02
renam -0.95
rent 1.02
replac -0.27
replac the -0.73
replay -0.07
report -0.52
report to 0.03
repository -0.51
repository and -0.15
reproduc -0.76
request -0.04
request to 0.48
reset -0.48
resolver -0.39
respect -1.39
rest -0.52
restart -1.06
restor 0.79
result 0.61
retention -0.50
retri -0.68
return -1.35
reveng 1.50
review 0.14
revok -0.77
rewrit 0.62
rewrit the 0.72
rf 0.19
rid -0.26
rid of -0.26
right -1.25
right after -0.55
rival 1.22
rm 0.19
rm rf 0.19
robot -0.63
role -1.06
room 1.74
rotat -1.16
rotat the -1.08
round 0.72
rout -0.27
router 0.19
rows -0.35
run -0.37
run a 0.98
run it 0.08
run the -0.93
runs 0.94
s3 -0.05
s3 bucket 0.52
safety 0.85
salary 0.07
sale 1.11
same -0.67
sandbox -0.58
sandbox and 0.45
sav 0.60
sav login 0.31
save 0.11
say -0.26
says -0.76
scan -0.55
scanner 0.22
schema -0.79
school 0.29
school and 0.53
school grad 0.51
scrambl 1.24
scrap -1.10
scrap our -0.61
screen -1.02
screen after -0.44
screenshot -0.07
screenshot of -0.28
script 0.41
script in -0.59
script that 0.81
script which 0.37
search -1.35
second -1.29
secret 0.90
security team -0.20
see -0.38
see it 1.07
see the -0.44
see who -0.81
seed -0.50
seen 0.14
sees 0.32
self 0.14
sell 0.99
sell the 0.96
sell them 0.70
send 0.23
send a -0.92
send all 0.03
send it 0.21
send our -0.12
send the -0.70
send them -0.66
sensor 0.77
sent -0.49
server 0.68
server and -0.20
server down -0.68
server in -0.19
server of 1.82
server so 0.44
server when -0.46
server without 0.10
servic -0.12
servic and 0.86
servic attack 0.31
servic that 0.58
session -0.84
session cooki 0.34
session token 0.08
set 0.63
set the 0.19
set up 0.83
sett -0.94
setting -0.74
several -0.78
shar -0.14
shar and 0.30
she 1.20
shell 0.24
shop 0.35
should -1.11
should be -0.60
should not -0.19
should return -0.35
should see -0.99
show -1.31
show a -0.24
show an -0.47
show green 0.31
show it 0.54
show me 0.46
show our -0.45
show the -2.43
show them -0.57
shown -1.15
shut -0.03
shut down 0.15
shutdown -1.28
sign -0.40
sign in 0.27
sign the 0.18
sign up -0.41
signal 1.06
silenc -0.26
silenc the -0.26
silent -0.91
simulat -0.94
simulat a -0.50
simulation -1.02
sinc -0.77
site 1.11
site to -0.29
skip 0.10
skip the 0.26
slow -1.42
small -0.26
smart 1.03
smart speaker 0.90
sms 1.12
smuggl 0.62
snapshot 0.69
so 1.18
so i 1.06
so it 1.67
so many -0.24
so nobody -0.55
so that 0.85
so the 1.48
so we 0.45
softwar 2.04
some -0.98
somebody -0.56
somebody open 0.39
someon -0.80
someth 0.67
someth that 0.83
sound -1.30
sourc code 0.46
spam -1.44
speaker 0.90
split -0.17
spoof 0.13
spoof the 0.13
spread -0.31
spreadsheet -0.16
spy 0.53
spy on -0.30
spywar 0.33
staff 0.16
staff to 0.36
stag -1.02
stag databas -0.43
start -0.17
start so 0.70
statu -0.74
stay 1.03
steal 0.25
steal the -0.05
step -0.72
step to -0.09
stick 0.68
still 0.69
stolen 0.36
stop the 0.78
stor -1.30
stor the 0.17
storag -0.84
stranger 1.34
stream 0.81
street -0.59
strip -0.44
student -0.06
stuff 0.05
suit -0.06
supplier 1.43
support -0.91
support team -0.64
suppres -0.04
sure -0.03
swap 1.62
swap the 1.35
switch 0.31
switch for -0.22
switch it 0.89
switch off 1.09
switch on -0.25
sync -0.83
system 1.08
system of 0.63
system so 0.37
tabl 0.79
tabl in -0.46
tabl of -0.21
tablet 0.53
tak 0.73
tak over 0.74
take 0.34
take a -0.23
take over -0.75
take the 1.05
taken -1.22
talk 0.92
talk to 0.78
target 0.89
task -0.06
tax -0.55
tax offic -0.10
teacher -0.59
team 0.18
team when -0.31
tell 1.06
tell the 0.21
tell them 1.11
templat -1.50
ten -0.68
ten minut -0.79
tenant -0.18
terminal -0.07
terraform -0.58
test -1.95
test and 0.13
test that -1.22
text 1.10
text messag 0.46
than -1.10
that 0.67
that a -1.22
that captur 0.37
that copi 0.62
that delet 0.25
that destroy -0.39
that empti -0.13
that encrypt 0.73
that find -1.04
that goes 0.67
that hid 1.29
that i 0.65
that install 0.92
that is 0.71
that it 2.29
that keep 0.28
that look 1.33
that mak -0.20
that no 0.81
that nobody -0.19
that only -1.27
that open 0.46
that our 1.13
that peopl 0.19
that read 0.22
that record 0.54
that remov -0.24
that report 1.03
that runs 0.35
that send -0.57
that show 0.14
that spread 1.05
that steal 0.82
that tak 0.85
that the 0.56
that their 1.00
that they 0.17
that was -0.62
that we 1.81
that were -0.95
the -0.09
the <name> -0.37
the acces 0.87
the account -0.34
the admin 0.56
the administrator 0.66
the agent -0.82
the alarm 0.56
the alert 0.20
the antiviru 0.49
the app -1.41
the audit 0.73
the auditor -0.14
the background -1.07
the backup 1.03
the bank -0.20
the banner 0.36
the browser 0.10
the bug 0.10
the build -1.16
the button -0.44
the cach -0.79
the camera 0.85
the card -0.06
the chang 0.48
the chat 0.65
the child -0.71
the city 0.94
the client 1.39
the clinic 1.14
the clipboard 0.49
the clock -0.50
the column -1.19
the company 1.67
the competitor 0.74
the complet 0.16
the computer 0.63
the config -0.40
the contract 0.53
the cooki 0.24
the crm 0.09
the customer 0.74
the data 0.20
the databas -0.14
the day -0.21
the default -0.68
the demo -1.00
the differenc 0.14
the disk -0.55
the docs -0.57
the driver -0.93
the e -0.04
the email -0.47
the emergency 0.63
the emission 1.69
the employe -0.19
the end -0.98
the entri 1.43
the event 0.41
the evidenc 1.32
the export -1.10
the fil 0.30
the filter -0.28
the final 0.36
the financ -0.06
the firewall 0.24
the firm 0.40
the firmwar 0.70
the fraud 0.43
the game 0.59
the git 0.28
the guest 0.93
the header -0.53
the health -0.58
the help -0.02
the hole 0.29
the home 0.14
the hospital 1.26
the hotel -0.03
the hr -0.23
the inspector 0.85
the internet -0.71
the judg 0.47
the key 0.40
the keyboard 0.53
the laptop 0.20
the last -1.03
the leak -0.09
the licenc -0.34
the limit -0.92
the list -0.77
the live 1.47
the load -1.58
the loader 0.64
the local -0.60
the location 0.23
the lock -0.63
the log 0.89
the logg 0.74
the login 0.84
the logs 0.26
the machin 1.05
the mail 0.78
the mailbox -0.20
the map -1.02
the member 1.03
the messag -0.41
the microphon -0.42
the migration -1.11
the model 0.11
the money 0.75
the monitor 0.74
the name -0.18
the network -1.18
the new -1.68
the newspaper 0.20
the night 0.49
the number -0.28
the offic 1.01
the old -1.41
the one -0.06
the open -0.72
the operator 0.44
the option -0.59
the order -0.35
the other 1.77
the owner -0.82
the packag -1.19
the page -1.12
the parent -0.27
the password 0.30
the payment 0.38
the personal 0.60
the phon 0.54
the pin 0.15
the player -0.29
the polic 0.43
the preview -0.38
the privat 0.68
the proces -0.54
the production 1.02
the public -1.48
the readm -0.67
the reason 0.23
the record -0.31
the regulator 0.87
the report 1.03
the repository -0.46
the request -1.15
the rest -0.25
the rival 0.83
the safety 0.85
the sale 0.63
the same -0.67
the sandbox -0.66
the school 0.51
the screen -0.39
the search -0.62
the second -0.38
the secret 0.08
the security 0.16
the server -0.74
the servic -1.35
the session -1.05
the setting 0.40
the shar 0.60
the sign 0.16
the smart 0.68
the sourc 0.31
the staff 0.99
the stag -0.89
the start -0.70
the support -1.08
the system -0.30
the tabl -0.94
the task 0.03
the tax -0.35
the team -0.03
the tenant 0.30
the test -1.34
the ticket 0.97
the time -0.75
the timestamp 0.71
the trac 1.40
the tracker -0.63
the trad 1.20
the transfer 0.63
the trial 1.41
the union 0.84
the unpatch 0.73
the unus -0.52
the updat 0.61
the user -0.49
the vendor -0.13
the victim 1.49
the viru -0.22
the watermark -0.04
the websit 0.99
the whol 0.22
the window -0.13
the work -0.52
the wrong -0.59
theft 1.14
their 0.18
their bank 0.40
their consent 0.65
their data -0.06
their own -1.00
their password -0.28
their phon 0.41
them 0.39
them for 0.80
them in -0.98
them to 1.21
then 2.04
ther 0.77
ther is -0.27
thes 0.61
they 0.58
they are -0.76
think 0.24
this 0.59
thos 0.29
thousand 1.62
thousand of 0.49
thre -1.05
through 1.67
through a 0.10
through the 0.92
through their 0.25
ticket 0.23
time -1.01
time cod 0.70
time so 0.60
timer 0.95
timestamp 0.26
to -0.22
to <name> -0.56
to a 1.15
to advertiser 0.72
to all -0.13
to an 1.54
to be 0.27
to cold -0.65
to end -0.49
to get 0.09
to hide 0.48
to its -0.29
to log 0.26
to me 0.85
to my 1.96
to our -1.64
to read 0.41
to recognis -0.64
to reproduc -0.56
to run 0.19
to see -0.18
to stop 0.15
to take 0.59
to the -1.28
to us 1.31
token 0.85
token from -0.21
too 0.38
tool 1.43
tool that -0.62
tool to 0.93
tooltip -0.83
trac 1.17
trac of 1.69
track 0.18
track the 0.40
tracker -0.28
trad 1.75
trad secret 1.21
traffic 0.73
trail 0.46
train -0.29
transaction -0.34
transfer 1.58
transfer the 0.52
tri -0.26
trial 0.93
trick -0.07
trojan 1.39
truncat -0.20
try 0.72
tunnel 0.44
turn 0.61
turn it -0.28
turn off 0.64
turn the 0.17
twic -2.01
two -0.98
two factor 0.02
typ -0.15
type 0.30
type in 0.63
typo -0.43
under 0.58
under the 0.47
undetectabl 1.16
undo -0.58
union 0.64
unit -0.92
unit test -0.87
unknown -0.30
unlock -0.39
unlock the -0.77
unnotic 0.30
unpatch 0.73
unpublish 0.94
unreachabl -0.52
unreadabl 0.11
unseen 0.63
until 1.01
until it 0.13
until the -1.26
until they 1.31
unus -0.85
unusabl -0.32
up 0.07
up a 0.87
up in -0.74
up the -0.17
updat -0.16
updat that -0.36
upload -1.32
upload it 0.19
us 1.84
us a 0.04
us the 0.72
usb 1.07
usb stick 1.07
use 0.31
use it 0.27
use the 0.27
used -0.68
user -1.15
user and 0.66
user computer 0.12
user for 0.25
user opt -0.35
user out -0.15
user photo 0.11
user when -0.95
user who -1.06
uses 0.06
validat -0.58
validation -0.80
valu 0.67
variabl -0.42
vendor -0.32
version 0.96
version with 0.62
victim 1.59
video -0.19
video call -0.44
view -1.20
viru -0.03
viru scanner 0.09
viru that 0.98
visibl -0.64
visit 0.60
visitor 1.11
voic 0.46
voic of 0.70
volum 1.45
vot 1.66
vote 0.22
voter 0.43
vpn 0.56
wait 0.31
wallet 0.34
want -0.22
want to -0.90
warehous -0.56
warn -1.48
was -1.42
was taken -0.64
watch 0.66
watermark -0.17
way 0.42
way to -0.31
we 1.36
we can 1.55
we use -0.10
web -0.47
webcam 1.11
websit 1.53
websit of 0.86
week -1.99
were -0.36
what -0.42
what happen -0.75
what is 0.32
what the 0.08
when -1.51
when a -1.01
when an -1.06
when it 0.44
when peopl 0.39
when somebody -0.13
when the -1.71
when they -0.61
wher 0.09
wher it -0.06
wher my -0.36
wher the -0.45
wher they 0.08
whether -1.03
which 0.52
which look 0.88
whil 0.49
whil the -0.53
whil they 0.54
whil we 1.04
who 0.13
who install 0.82
whoever 0.94
whol 0.22
whom -0.64
why -1.85
wi 0.61
wi fi 0.61
wife 1.17
window -0.76
wipe 0.14
wipe the 0.27
with -0.13
with a 0.61
with an -0.13
with his 1.13
with request 0.94
with the -1.37
with their 0.05
within -0.59
without 0.85
without a -0.72
without anyon 0.40
without ask 0.23
without her 0.44
without leav 0.21
without permission 0.20
without tell 0.91
without the -0.05
without their 0.67
word 0.25
work after -0.12
work council -0.23
worker -0.82
worm -0.14
would -1.58
would be -0.17
would like -0.80
writ 0.59
writ a 0.58
writ about 0.42
writ an 0.53
writ code 1.22
writ down -0.67
writ someth 0.25
writ the 0.23
wrong -0.84
year -0.75
you 0.58
your -0.81
zero 0.10
zip 0.27
zip the 0.27
zombi -1.30
`;
